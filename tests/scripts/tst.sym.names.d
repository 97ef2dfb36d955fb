/* @program: frames -O2 -fomit-frame-pointer */
/* @sonde: -q -c @program@ */
/* @rows: act.usym act.ufunc act.umod act.uaddr */
/* The same address, four ways. */
pid$target:a.out:first:entry
{
  printf("%A\n", uregs[R_PC]);
  usym(uregs[R_PC]); printf("\n");
  ufunc(uregs[R_PC] + 1); printf("\n");
  umod(uregs[R_PC]); printf("\n");
  uaddr(uregs[R_PC]); printf("\n");
  uaddr(uregs[R_PC] + 1); printf("\n");
}
