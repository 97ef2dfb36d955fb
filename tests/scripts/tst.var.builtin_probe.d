/* @rows: bv.probeprov bv.probemod bv.probefunc bv.probename bv.id bv.epid prov.BEGIN */
/* @sonde: -q */
/* the probe, by name and by number */
BEGIN
{
	printf("%s:%s:%s:%s %d\n", probeprov, probemod, probefunc, probename, id);
	printf("%d %d\n", arg0, arg5);
	printf("%d\n", epid >= 1);
	exit(0);
}
