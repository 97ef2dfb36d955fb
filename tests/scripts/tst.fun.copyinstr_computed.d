/* @rows: fun.copyinstr */
/* @sonde: -q -c "/bin/cat /dev/null" */
/* an address that only the body knows: the thread waits for it */
BEGIN { skip = 5; }

syscall::openat:entry
/copyinstr(arg1) == "/dev/null"/
{
	printf("[%s]\n", copyinstr(arg1 + skip, 4));
}
