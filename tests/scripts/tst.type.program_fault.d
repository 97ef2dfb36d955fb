/* @program: structs -O2 -g */
/* @sonde: -q -c @program@ */
/* @stderr: invalid address (0x10) */
/* @rows: type.program fault.badaddr */
/* A pointer of the program that leads nowhere: the clause ends, the others run. */
pid$target:a.out:visit:entry { printf("%d\n", ((struct node *)(arg0 - arg0 + 16))->id); }
pid$target:a.out:visit:entry { printf("next\n"); }
ERROR { printf("%d %x\n", arg4 == DTRACEFLT_BADADDR, arg5); }
