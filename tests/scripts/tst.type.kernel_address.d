/* @program: structs -O2 -g */
/* @sonde: -q -c @program@ */
/* @stderr: invalid kernel access */
/* @rows: const.fault */
/* Memory of the kernel is not the program's to read. */
pid$target:a.out:visit:entry { printf("%d\n", *(int *)(arg0 | 0xffff800000000000)); }
ERROR { printf("%d\n", arg4 == DTRACEFLT_KPRIV); }
