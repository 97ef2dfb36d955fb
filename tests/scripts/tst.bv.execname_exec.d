/* @sonde: -q -c '/bin/sh -c "exec /bin/true"' */
/* @rows: bv.execname */
/* execname follows exec. */
proc:::exec-success { printf("%s\n", execname); }
syscall::exit_group:entry { printf("%s\n", execname); }
