/* @rows: opt.jstackframes opt.jstackstrsize act.jstack */
/* @command: -q -w -x jstackframes=1 -x jstackstrsize=100 -c /bin/echo -s @script@ @scratch@/stack */
/* jstack() has a number of frames of its own */
BEGIN { freopen("%s", $$1); }
syscall::write:entry /arg0 == 1/ { jstack(); printf("a number:"); jstack(1, 0); }
END { freopen(""); system("sed 's/^ *[^ a].*/frame/' %s", $$1); }
