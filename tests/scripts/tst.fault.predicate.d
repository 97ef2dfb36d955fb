/* @rows: fault.predicate fault.ERROR */
/* @stderr: in predicate */
/* a fault in the predicate: the clause does nothing, ERROR says action 0 */
BEGIN { p = (int *)8; }
BEGIN /1 == *p/ { printf("never seen\n"); }
ERROR { printf("%d %x\n", arg2, arg5); }
BEGIN { printf("the next\n"); exit(0); }
