/* @rows: spec.zero */
/* with id 0 the rest of the clause is skipped, and no one is told; what stands before it happens */
BEGIN
{
	x = 1;
	speculate(0);
	x = 2;
	printf("never seen\n");
}

BEGIN
{
	commit(0);
	discard(0);
	x += 10;
}

BEGIN
{
	printf("%d\n", x);
	exit(0);
}
