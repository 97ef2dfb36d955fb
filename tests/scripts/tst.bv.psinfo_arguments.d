/* @rows: bv.psinfo_arguments */
/* The tracer's own arguments are there, and can be followed. */

BEGIN
{
	printf("%d ", curpsinfo->pr_argc);
	printf("%s\n", copyinstr(*(uint64_t *)copyin(curpsinfo->pr_argv + 8, 8)));
	exit(0);
}
