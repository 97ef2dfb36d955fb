/* @arguments: one */
/* @sonde: -x argref */
BEGIN
{
	trace($$2);
}
