/* @rows: prov.pid_offset */
/* @sonde: -q -c 'cat /dev/null' */
/* an instruction within a function; the first one is at 0 */
pid$target:libc.so.6:malloc:0
{
	@[probemod, probefunc, probename] = max(1);
}

END
{
	printa("%s %s %s\n", @);
}
