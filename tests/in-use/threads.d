/* How many threads do something, and how much each. */
#pragma D option quiet
syscall::getppid:entry
{
	@calls[tid == pid ? "main" : "thread"] = count();
	@by_thread[tid] = count();
}
proc:::lwp-create { made++; }
proc:::lwp-exit { gone++; }
END
{
	printa("%s %@d\n", @calls);
	printf("made %d gone %d\n", made, gone);
	printa("%@d\n", @by_thread);
}
