/* @rows: cpp.D cmd.C */
/* @sonde: -C -q -D ONE -D 'TEXT="word"' */
/* -D defines a macro, as 1 without a value. */
BEGIN
{
	printf("%d %s\n", ONE, TEXT);
	exit(0);
}
