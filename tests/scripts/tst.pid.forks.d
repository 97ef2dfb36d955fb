/* @rows: pid.forks */
/* @program: forked -O1 */
/* @sonde: -q -c "@program@ fork twice exec" */
/* Those that it forks count, too, until they execute another program: 3 calls of its own, 8 of forks, none of the 5 behind the exec. */
pid$target:a.out:job:entry
{
	@[probeprov == strjoin("pid", lltostr($target)), pid == $target, ppid == $target || pid == $target] = count();
}
END { printa("%d %d %d: %@d\n", @); }
