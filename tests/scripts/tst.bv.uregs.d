/* @program: structs -O2 -g */
/* @sonde: -q -c @program@ */
/* @rows: bv.uregs const.regs */
/* At a function's entry the first arguments are in registers, and the return address is at the stack pointer. */
pid$target:a.out:visit:entry
{
  printf("%d %d %d\n", uregs[R_RDI] == arg0, uregs[R_RSI] == arg1, (int)uregs[R_RDX]);
  printf("%d %d\n", uregs[R_PC] == uregs[R_RIP], uregs[R_SP] == uregs[R_RSP]);
  printf("%d\n", *(uint64_t *)copyin(uregs[R_SP], 8) == ucaller);
}
pid$target:a.out:visit:return { printf("%d %d\n", (int)uregs[R_R0], (int)uregs[R_RAX]); }
