/* @rows: fmt.k */
/* @command: -q -w -c /bin/echo -s @script@ @scratch@/stack */
/* %k puts the stack there; other keys stand before and behind it */
syscall::write:entry /arg0 == 1/ { @["key", ustack(1), 5] = sum(7); }
END { freopen("%s", $$1); printa("%s|%k|%d|%@d\n", @); freopen(""); }
END { trunc(@); system("sed 's/^  *.*/  frame/' %s", $$1); }
