/* @rows: act.stop act.system cmd.w cmd.c prov.syscall */
/* @sonde: -q -w -c true */
/* the process is stopped before the command that is to wake it runs */
int woken;

syscall::close:entry
/!woken/
{
	woken = 1;
	stop();
	system("kill -CONT %d; echo woken", pid);
}
