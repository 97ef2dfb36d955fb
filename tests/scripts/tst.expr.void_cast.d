/* @rows: expr.cast */
/* A value may be thrown away. */
BEGIN
{
	(void)(x = 4);
	printf("%d\n", x);
	exit(0);
}
