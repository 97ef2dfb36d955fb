/* @rows: lib.load */
/* @sonde: -q -L lib/partial -L lib/good */
/* Several directories: all their libraries are there. */
BEGIN
{
	trace(present + deep);
	exit(0);
}
