/* @rows: opt.evaltime */
/* @sonde: -q -x evaltime=exec -c /bin/true */
/* at the exec nothing of the program has run: its dynamic linker is seen at work */
syscall::mmap:entry { linked = 1; }
END { printf("%d\n", linked); }
