/* @rows: opt.evaltime */
/* @sonde: -q -x evaltime=preinit -c /bin/true */
/* the libraries are mapped already, their constructors have not run */
syscall::openat:entry /strstr(copyinstr(arg1), "libc.so") != NULL/ { linked = 1; }
END { printf("%d\n", linked); }
