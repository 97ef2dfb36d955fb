/* @rows: expr.ternary_string expr.null_string */
/* An arm of ?: may be NULL. */
BEGIN
{
	n = 0;
	s = n ? "x" : NULL;
	printf("%d %s\n", s == NULL, n ? NULL : "y");
	exit(0);
}
