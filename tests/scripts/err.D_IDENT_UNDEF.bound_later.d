/* @sonde: -x version=1.5 */
#pragma D binding "1.6" limit
inline int limit = 3;

BEGIN
{
	trace(limit);
}

/* @rows: pragma.binding version.binding */
