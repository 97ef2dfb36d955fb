/* @rows: spec.out_of_range fault.illop */
/* @stderr: illegal operation in action #1 */
/* an id over nspec is an illegal operation, in commit() and discard() */
int faults;

BEGIN { printf("commit\n"); }
BEGIN { commit(2); }
BEGIN { printf("negative\n"); }
BEGIN { discard(-1); }
ERROR { faults++; printf("fault %d\n", arg4); }
END { printf("%d faults\n", faults); }
BEGIN { exit(0); }
