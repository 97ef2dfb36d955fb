/* @rows: opt.cpppath */
/* @sonde: -q -C -x cpppath=/usr/bin/cpp */
/* The preprocessor may be another program. */
BEGIN
{
	trace("VALUE");
	exit(0);
}
