/* @rows: lib.load opt.libdir */
/* @sonde: -q -x syslibdir=lib/nowhere -x libdir=lib/good */
/* -x libdir and syslibdir are -L. */
BEGIN
{
	trace(deep);
	exit(0);
}
