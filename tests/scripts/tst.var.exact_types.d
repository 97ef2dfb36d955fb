/* @rows: var.exact_type */
/* A variable is exactly of the type that was assigned first. */
BEGIN
{
	c = (char)300; s = (unsigned short)-1; l = 1LL; p = (int *)0;
	printf("%d %d %d %d %d %d\n", c, sizeof (c), s, sizeof (s), sizeof (l), sizeof (p));
	exit(0);
}
