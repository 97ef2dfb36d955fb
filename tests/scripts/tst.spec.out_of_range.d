/* @rows: spec.out_of_range fault.illop */
/* @stderr: illegal operation in action #1 */
/* an id over nspec is an illegal operation, in each of the three */
int faults;

BEGIN { printf("commit\n"); }
BEGIN { commit(2); }
BEGIN { printf("negative\n"); }
BEGIN { discard(-1); }
BEGIN { speculate(99); printf("never seen\n"); }
ERROR { faults++; printf("fault %d\n", arg4); }
END { printf("%d faults\n", faults); }
BEGIN { exit(0); }
