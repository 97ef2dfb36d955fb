/* @rows: act.raise const.signal */
/* @sonde: -q -w -c "/bin/sleep 600" */
/* the program gets the signal: it ends long before its time */
syscall::*nanosleep:entry
{
	raise(SIGTERM);
}

proc:::exit
{
	printf("%d\n", arg0 == CLD_KILLED);
}
