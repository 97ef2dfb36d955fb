/* @rows: macro.string */
/* @arguments: 12 'a b' */
/* $$1 is a string, whatever the argument looks like. */
BEGIN
{
	printf("%s %d %s\n", $$1, strlen($$1), $$2);
	exit(0);
}
