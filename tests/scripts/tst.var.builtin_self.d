/* @rows: bv.pid bv.tid bv.uid bv.gid bv.ppid bv.cpu macro.pid */
/* @sonde: -q */
/* in BEGIN the thread is our own */
BEGIN
{
	printf("%d %d\n", pid == $pid, tid == pid);
	printf("%d %d %d\n", uid == $uid, gid == $gid, ppid == $ppid);
	printf("%d\n", cpu >= 0);
	exit(0);
}
