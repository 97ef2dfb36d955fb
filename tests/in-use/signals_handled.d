/* Signals that arrive, from whom. */
#pragma D option quiet
proc:::signal-handle
{
	@[execname, args[0], args[1]->si_pid == pid ? "itself" : "other"] = count();
}
signal:::deliver
{
	@again = count();
}
END { printa("%s %d %s %@d\n", @); printa("%@d\n", @again); }
