/* @rows: fault.illop fault.args */
/* @stderr: illegal operation in action #1 */
#pragma D option nspec=2
BEGIN { commit(3); }
ERROR { printf("%d\n", arg4); exit(0); }
