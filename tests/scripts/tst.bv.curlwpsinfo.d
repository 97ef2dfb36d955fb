/* @program: files -O2 */
/* @sonde: -q -c "@program@ @scratch@" */
/* @rows: bv.curlwpsinfo lwpsinfo.members */
/* The thread, which runs: its state, its call, its scheduling class. */
syscall::fsync:entry
/arg0 == 20/
{
  printf("%d %d %c\n", curlwpsinfo->pr_lwpid == tid, curlwpsinfo->pr_state == SONPROC, curlwpsinfo->pr_sname);
  printf("%d %d %d\n", curlwpsinfo->pr_flag, curlwpsinfo->pr_stype, curlwpsinfo->pr_wchan);
  printf("%d %d %d\n", curlwpsinfo->pr_syscall, curlwpsinfo->pr_onpro == cpu, curlwpsinfo->pr_bindpset);
  printf("%s %d\n", curlwpsinfo->pr_name == execname ? "name" : "other", curlwpsinfo->pr_lgrp == lgrp);
}
