BEGIN { @a[ustack(10, pid)] = count(); }
