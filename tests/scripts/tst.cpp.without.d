/* @rows: cpp.D cmd.C */
/* @sonde: -q -D X=1 -U Y -I /nowhere -H */
/* Without -C the options of cpp are harmless. */
BEGIN
{
	trace(1);
	exit(0);
}
