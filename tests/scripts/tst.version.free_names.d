/* @rows: version.binding */
/* @sonde: -q -x version=1.0 */
/* Under version 1.0 the younger subroutines are ordinary names. */
BEGIN
{
	index = 1;
	substr = 2;
	stddev = 4;
	ucaller = 8;
	printf("%d\n", index + substr + stddev + ucaller);
	exit(0);
}
