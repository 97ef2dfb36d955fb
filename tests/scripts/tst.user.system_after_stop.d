/* @sonde: -q -w -c true */
/* the process is stopped before the command that is to wake it runs */
syscall::exit_group:entry
{
	stop();
	system("kill -CONT %d; echo woken", pid);
}
