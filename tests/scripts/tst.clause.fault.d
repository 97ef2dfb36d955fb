/* @rows: fault.clause_only fault.ERROR fault.divzero prov.ERROR */
/* @sonde: -q */
/* @stderr: divide-by-zero */
/* a fault ends its clause and nothing else; the record of the clause is gone */
int zero;

BEGIN
{
	printf("before\n");
	printf("%d\n", 1 / zero);
	printf("after\n");
}

BEGIN
{
	printf("next\n");
}

BEGIN
{
	exit(0);
}

ERROR
{
	printf("fault %d\n", arg4);
}
