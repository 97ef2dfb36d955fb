/* @rows: prov.profile_args */
/* @sonde: -q */
/* of a profile probe's two addresses exactly one is not zero, or the timer fires in no thread of the target */
tick-10ms
{
	printf("%s %s %d\n", probeprov, probename, arg0 != 0 && arg1 != 0);
	exit(0);
}
