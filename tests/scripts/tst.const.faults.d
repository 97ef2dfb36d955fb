/* @rows: const.fault const.null */
/* Codes of faults, as ERROR has them in arg4. */
BEGIN
{
  printf("%d %d %d %d\n", DTRACEFLT_UNKNOWN, DTRACEFLT_BADADDR, DTRACEFLT_BADALIGN, DTRACEFLT_ILLOP);
  printf("%d %d %d %d\n", DTRACEFLT_DIVZERO, DTRACEFLT_NOSCRATCH, DTRACEFLT_KPRIV, DTRACEFLT_UPRIV);
  printf("%d %d %d %d %d\n", DTRACEFLT_TUPOFLOW, DTRACEFLT_BADSTACK, DTRACEFLT_BADSIZE, DTRACEFLT_BADINDEX, DTRACEFLT_LIBRARY);
  printf("%d %d\n", NULL == 0, (void *)NULL == NULL);
  exit(0);
}
