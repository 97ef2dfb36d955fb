/* @program: files -O2 */
/* @sonde: -q -c "@program@ @scratch@" */
/* @rows: bv.curpsinfo psinfo.members psinfo.fname psinfo.dmodel */
/* The process as psinfo_t shows it is the process that the variables show. */
syscall::fsync:entry
/arg0 == 20/
{
  printf("%d %d %d %d\n", curpsinfo->pr_pid == pid, curpsinfo->pr_ppid == ppid, curpsinfo->pr_uid == uid, curpsinfo->pr_gid == gid);
  printf("%d %d %d\n", curpsinfo->pr_pid == $target, curpsinfo->pr_euid == $euid, curpsinfo->pr_egid == $egid);
  printf("%d %d\n", curpsinfo->pr_pgid > 0, curpsinfo->pr_sid > 0);
  printf("%d %s %d\n", curpsinfo->pr_nlwp, stringof(curpsinfo->pr_fname) == execname ? "name" : "other", curpsinfo->pr_dmodel);
  printf("%d %d %d %d\n", curpsinfo->pr_zoneid, curpsinfo->pr_projid, curpsinfo->pr_taskid, curpsinfo->pr_poolid);
}
