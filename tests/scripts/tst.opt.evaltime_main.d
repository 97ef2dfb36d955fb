/* @rows: opt.evaltime */
/* @sonde: -q -x evaltime=main -c /bin/true */
/* with main the program's own work is seen, its start is not */
syscall::openat:entry /strstr(copyinstr(arg1), "libc.so") != NULL/ { linked = 1; }
syscall::exit_group:entry { ended = 1; }
END { printf("%d %d\n", linked, ended); }
