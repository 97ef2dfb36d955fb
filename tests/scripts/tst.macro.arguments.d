/* @rows: macro.number macro.string cmd.arguments */
/* @sonde: -q */
/* @arguments: 17 word */
/* macro arguments, as numbers and as strings */
BEGIN
{
	printf("%d %s %s %d\n", $1, $$2, $$1, $1 + 1);
	exit(0);
}
