/* @sonde: -q -c /bin/true */
/* @rows: bv.pid bv.tid bv.ppid bv.uid bv.gid */
/* The process that was started, by its leader. */
syscall::exit_group:entry { printf("%d %d %d %d %d\n", pid == $target, tid == pid, ppid > 0, uid == $uid, gid == $gid); }
