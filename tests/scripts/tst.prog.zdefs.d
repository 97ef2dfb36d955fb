/* @rows: cmd.Z */
/* @sonde: -q -Z */
/* -Z lets descriptions match nothing. */
nosuch:::probe,
vminfo::open:entry
{
	trace("never");
}

BEGIN
{
	trace("fine");
	exit(0);
}
