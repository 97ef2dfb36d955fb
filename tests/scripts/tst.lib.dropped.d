/* @rows: pragma.depends_on lib.load */
/* @sonde: -q -L lib/partial */
/* A library whose provider or module is missing is left out, silently. */
#pragma D depends_on provider dtrace
BEGIN
{
	absent = 1;
	trace(absent + present);
	exit(0);
}
