/* @rows: clause.by_id */
/* A probe may be named by its number. */
1, 3
{
	printf("%s\n", probename);
	exit(0);
}
