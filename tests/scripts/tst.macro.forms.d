/* @rows: macro.number */
/* @arguments: 0xff 010 word */
/* A number in any radix, or a name. */
BEGIN
{
	$3 = 4;
	printf("%d %d %d\n", $1 + 1, $2, word);
	exit(0);
}
