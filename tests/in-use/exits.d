/* How processes end: 1 by exit, 2 by a signal, 3 with a core. */
#pragma D option quiet
proc:::exit
/pid != $target/
{
	@ends[execname, args[0] == CLD_EXITED ? "exited" : args[0] == CLD_KILLED ? "killed" : "dumped"] = count();
}
syscall::exit_group:entry
/pid != $target/
{
	@codes[arg0] = count();
}
END { printa(@ends); printa("exit(%d) %@d\n", @codes); }
