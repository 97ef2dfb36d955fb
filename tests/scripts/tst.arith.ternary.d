/* @rows: expr.ternary expr.ternary_string */
/* @sonde: -q */
/* conditional expressions */
BEGIN
{
	n = 5;
	printf("%s %s\n", n > 3 ? "more" : "less", n > 7 ? "more" : "less");
	printf("%d\n", n < 3 ? 1 : n < 6 ? 2 : 3);
	printf("%d\n", (n == 5 ? "text" : NULL) == NULL);
	printf("%d\n", (n != 5 ? "text" : NULL) == NULL);
	exit(0);
}
