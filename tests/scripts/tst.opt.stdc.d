/* @rows: opt.stdc */
/* @sonde: -q -C -x stdc=s */
/* -X s leaves __STDC__ undefined. */
BEGIN
{
#ifdef __STDC__
	trace("defined");
#else
	trace("not");
#endif
	exit(0);
}
