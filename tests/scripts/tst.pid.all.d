/* @rows: pid.all */
/* @program: forked -O1 */
/* @sonde: -q -c "@program@ fork twice exec" */
/* Every traced process: 3 calls of the target, 8 of its forks, 5 behind the exec. probeprov has the number of the process that fires. */
pid*:forked*:job:entry
{
	@[probeprov == strjoin("pid", lltostr(pid))] = count();
}
pid*:a.out:job:entry, pid$target:a.out:job:entry
/pid == $target/
{
	@own = count();
}
END { printa("%d: %@d\n", @); printa("of the target, in two probes: %@d\n", @own); }
