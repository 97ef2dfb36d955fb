BEGIN { @[ustack()] = count(); exit(0); }
