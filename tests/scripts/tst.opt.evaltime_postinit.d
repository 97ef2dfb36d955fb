/* @rows: opt.evaltime */
/* @sonde: -q -x evaltime=postinit -c /bin/true */
/* with postinit the dynamic linker is done before the first probe fires */
syscall::openat:entry /strstr(copyinstr(arg1), "libc.so") != NULL/ { linked = 1; }
syscall::exit_group:entry { ended = 1; }
END { printf("%d %d\n", linked, ended); }
