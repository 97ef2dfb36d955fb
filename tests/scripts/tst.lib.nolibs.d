/* @rows: lib.nolibs */
/* @sonde: -q -x nolibs -L lib/good */
/* Without libraries their names are free. */
int curpsinfo;

BEGIN
{
	curpsinfo = 3;
	deep = 4;
	trace(curpsinfo + deep);
	exit(0);
}
