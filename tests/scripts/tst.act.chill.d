/* @rows: act.chill */
/* @sonde: -q -w -c "/bin/cat /dev/null" */
/* the thread waits at least that long */
syscall::exit_group:entry
{
	start = timestamp;
	chill(20000000);
}

proc:::exit
{
	waited = timestamp - start;
}

END { printf("%d\n", waited >= 20000000); }
