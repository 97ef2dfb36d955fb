/* @rows: expr.kept_pointer */
/* @stderr: invalid address (0x */
/* scratch ends with its clause: a pointer into it that was kept faults, and ERROR tells */
int *kept;
BEGIN { kept = alloca(sizeof (int)); *kept = 5; printf("%d\n", *kept); }
BEGIN { printf("never %d\n", *kept); }
ERROR { printf("%d %d\n", arg4 == DTRACEFLT_BADADDR, arg5 == (uintptr_t)kept); }
BEGIN { exit(0); }
