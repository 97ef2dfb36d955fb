/* @rows: cmd.Z */
/* @sonde: -q -Z */
/* -Z lets descriptions match nothing. */
nosuch:::probe,
fbt::open:entry
{
	trace("never");
}

BEGIN
{
	trace("fine");
	exit(0);
}
