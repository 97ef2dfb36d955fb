/* @rows: act.stop */
/* @sonde: -q -w -c "/bin/echo done" */
/* the process stops as by SIGSTOP, until someone lets it go on */
syscall::write:return
/arg0 == 5/
{
	stop();
	printf("stopped\n");
	system("kill -CONT %d", pid);
}
