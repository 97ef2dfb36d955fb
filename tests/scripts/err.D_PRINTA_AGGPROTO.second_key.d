BEGIN { @foo[1, "a"] = count(); @bar[2, 3] = sum(1); printa("%d %s %@d %@d\n", @foo, @bar); }
