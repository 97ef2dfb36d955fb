/* @rows: pragma.binding version.binding */
/* @sonde: -q -x version=1.5 */
/* Under an older version the name is free for a variable. */
#pragma D binding "1.6" limit
inline int limit = 42;

BEGIN
{
	limit = 7;
	trace(limit);
	exit(0);
}
