/* @sonde: -q -c "sh -c 'exit 0'" */
/* @rows: bv.vpid */
/* In the namespace that sonde is in, a process has one number. */
syscall::exit_group:entry { printf("%d\n", vpid == pid); }
