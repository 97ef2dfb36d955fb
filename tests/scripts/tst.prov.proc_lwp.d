/* @rows: prov.proc_lwp */
/* @sonde: -q -c "sh -c 'true; exit 0'" */
/* every thread's end is an lwp-exit, the only thread's too */
proc:::lwp-exit
/pid == $target/
{
	@exits = count();
}

proc:::lwp-create
/pid == $target/
{
	@created = count();
}

END
{
	printa("exits %@d\n", @exits);
	printa("created %@d\n", @created);
}
