/* @rows: const.regs */
/* The numbers of the registers. */
BEGIN
{
  printf("%d %d %d %d %d %d %d %d\n", R_R15, R_R14, R_R13, R_R12, R_RBP, R_RBX, R_R11, R_R10);
  printf("%d %d %d %d %d %d %d %d\n", R_R9, R_R8, R_RAX, R_RCX, R_RDX, R_RSI, R_RDI, R_ERR);
  printf("%d %d %d %d %d %d %d %d %d %d\n", R_RIP, R_CS, R_RFL, R_RSP, R_SS, R_DS, R_ES, R_FS, R_GS, R_TRAPNO);
  printf("%d %d %d %d %d %d\n", R_PC == R_RIP, R_SP == R_RSP, R_FP == R_RBP, R_PS == R_RFL, R_R0 == R_RAX, R_R1 == R_RDX);
  exit(0);
}
