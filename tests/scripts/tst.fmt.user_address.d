/* @rows: fmt.A fmt.a */
/* @sonde: -q -c /bin/true */
/* an address that nobody has a name for; 0 of the kernel */
syscall::exit_group:entry
{
	printf("%A %a\n", (uintptr_t)16, (uintptr_t)0);
}
