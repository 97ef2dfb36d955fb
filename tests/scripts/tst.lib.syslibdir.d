/* @rows: lib.load */
/* @sonde: -q -x syslibdir=lib/good */
/* a folder of libraries that is loaded before those of -L */
BEGIN
{
	trace(deep);
	exit(0);
}
