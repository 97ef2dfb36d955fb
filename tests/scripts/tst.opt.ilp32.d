/* @rows: type.m32 */
/* @sonde: -q -64 -x ilp32 */
/* As -32, behind which -64 would be the last word. */
BEGIN
{
	trace(sizeof (unsigned long));
	exit(0);
}
