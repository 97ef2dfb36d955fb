/* @sonde: -x version=1.0 */
BEGIN
{
	trace(strstr("ab", "b"));
}

/* @rows: version.binding */
