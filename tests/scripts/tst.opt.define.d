/* @rows: opt.define opt.cpp opt.undef */
/* @sonde: -q -x cpp -x define=VALUE=9 -x undef=__unix */
/* The options of cpp by their long names. */
BEGIN
{
#ifndef __unix
	trace(VALUE);
#endif
	exit(0);
}
