/* Processes and how long they live: those of less than a minute. */
#pragma D option quiet
proc:::start
{
	born[pid] = timestamp;
}
proc:::exit
/born[pid] && timestamp - born[pid] < 60 * 1000000000/
{
	@shortlived[execname] = count();
	@time = sum(timestamp - born[pid]);
	born[pid] = 0;
}
END
{
	printa("%s %@d\n", @shortlived);
	printa("together %@d ns\n", @time);
}
