/* @rows: const.cld const.state const.pr */
/* How a process ended, what a thread does, how wide a program is. */
BEGIN
{
  printf("%d %d %d %d %d %d\n", CLD_EXITED, CLD_KILLED, CLD_DUMPED, CLD_TRAPPED, CLD_STOPPED, CLD_CONTINUED);
  printf("%d %d %d %d %d %d %d\n", SSLEEP, SRUN, SZOMB, SSTOP, SIDL, SONPROC, SWAIT);
  printf("%d %d %x %x\n", PR_MODEL_ILP32, PR_MODEL_LP64, PR_ISSYS, PR_ASLEEP);
  exit(0);
}
