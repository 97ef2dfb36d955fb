/* @rows: macro.defaultargs opt.defaultargs */
/* @sonde: -q -x defaultargs */
/* @arguments: 5 */
/* with defaultargs a missing argument is 0 or empty */
BEGIN
{
	printf("%d [%s] %d\n", $1, $$2, $3 + 1);
	exit(0);
}
