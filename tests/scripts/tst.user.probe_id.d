/* @rows: cmd.i */
/* @sonde: -q -i '2 { printf("by its id\n"); }' */
/* -i names a probe by its number: 2 is END */
BEGIN
{
	exit(0);
}
