/* @rows: pragma.binding version.binding */
/* @sonde: -q -x version=1.3 */
/* A name that is bound to a version is there from that version on. */
#pragma D binding "1.2" limit
inline int limit = 42;

BEGIN
{
	trace(limit);
	exit(0);
}
