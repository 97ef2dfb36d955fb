BEGIN { @foo[1] = count(); @bar["one"] = count(); printa(@foo, @bar); }
