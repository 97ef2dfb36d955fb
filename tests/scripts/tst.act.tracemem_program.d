/* @rows: act.tracemem */
/* @sonde: -q -c "/bin/cat /dev/null" */
/* memory of the program, copied in */
syscall::openat:entry
/copyinstr(arg1) == "/dev/null"/
{
	tracemem(copyin(arg1, 10), 10);
}
