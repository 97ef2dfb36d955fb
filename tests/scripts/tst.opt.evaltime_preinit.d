/* @rows: opt.evaltime */
/* @sonde: -q -x evaltime=preinit -c /bin/true */
/* before the constructors: to Linux that is before the dynamic linker, which runs them */
syscall::openat:entry /strstr(copyinstr(arg1), "libc.so") != NULL/ { linked = 1; }
END { printf("%d\n", linked); }
