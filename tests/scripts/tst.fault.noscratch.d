/* @rows: fault.noscratch fault.args */
/* @stderr: out of scratch space in action #2 */
BEGIN { this->n = 2000000; this->p = alloca(this->n); }
ERROR { printf("%d %d %d\n", arg1, arg2, arg4); exit(0); }
