/* @rows: prov.syscall prov.syscall_return */
/* @sonde: -q -c 'cat /nonexistent/file' */
/* @status: 0 */
/* @stderr: No such file */
/* a failing call returns -1 in arg0 and arg1, and errno says why */
syscall::openat:entry
/copyinstr(arg1) == "/nonexistent/file"/
{
	self->mine = 1;
}

syscall::openat:return
/self->mine/
{
	printf("%d %d %d\n", arg0, arg1, errno);
	self->mine = 0;
}
