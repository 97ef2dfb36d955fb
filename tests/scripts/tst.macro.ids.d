/* @rows: macro.ids macro.pid */
/* Who traces, and in which group and session: BEGIN fires in the tracer. */
BEGIN
{
  printf("%d %d %d\n", $pid == pid, $ppid == ppid, $uid == uid);
  printf("%d %d %d\n", $euid == curpsinfo->pr_euid, $gid == gid, $egid == curpsinfo->pr_egid);
  printf("%d %d\n", $pgid == curpsinfo->pr_pgid, $sid == curpsinfo->pr_sid);
  exit(0);
}
