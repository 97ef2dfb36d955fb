/* @rows: prog.macro macro.number macro.string */
/* @arguments: dtrace BEGIN 50 */
/* Macro arguments expand in descriptions. */
$1:::$$2
{
	printf("%s %s\n", probeprov, probename);
}

tick-$3
{
	exit(0);
}
