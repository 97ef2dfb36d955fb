/* @rows: opt.ustackframes act.ustack out.stack */
/* @command: -q -w -x ustackframes=1 -c /bin/echo -s @script@ @scratch@/stack */
/* frames of a ustack() without a number; one with a number has its own */
BEGIN { freopen("%s", $$1); }
syscall::write:entry /arg0 == 1/ { ustack(); printf("a number:"); ustack(1); }
END { freopen(""); system("sed 's/^ *[^ a].*/frame/' %s", $$1); }
