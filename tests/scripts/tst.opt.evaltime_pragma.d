/* @rows: opt.evaltime */
/* @sonde: -q -c /bin/true */
/* as -x evaltime=main, known before the program is started */
#pragma D option evaltime=main
syscall::openat:entry /strstr(copyinstr(arg1), "libc.so") != NULL/ { linked = 1; }
syscall::exit_group:entry { ended = 1; }
END { printf("%d %d\n", linked, ended); }
