BEGIN { @a[curpsinfo] = count(); }
