/* @sonde: -q -c "sh -c 'exit 0'" */
/* @rows: bv.pidns */
/* The program is in the pid namespace of sonde, whose inode is no 0. */
BEGIN { own = pidns; }
syscall::exit_group:entry { printf("%d %d\n", own != 0, pidns == own); }
