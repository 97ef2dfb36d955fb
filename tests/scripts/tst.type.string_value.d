/* @rows: var.assignment_types */
/* Strings are values: a copy does not change with what it was made of. */
BEGIN
{
	a = "one"; b = a; a = "two";
	printf("%s %s\n", b, a);
	exit(0);
}
