/* @sonde: -Z */
nosuch:::probe
{
	trace(args[0]);
}
