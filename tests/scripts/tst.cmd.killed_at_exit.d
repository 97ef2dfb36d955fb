/* @rows: cmd.c_killed */
/* @sonde: -q -c "sh -c 'while :; do cd /; done'" */
/* What -c started is killed when tracing ends before it does: else this would not end. */
syscall::chdir:entry { printf("%s\n", execname); exit(0); }
