/* The busiest system calls: the first $1 of them. */
#pragma D option quiet
#pragma D option defaultargs
inline int MOST = $1 ? $1 : 3;

syscall:::entry
/pid == $target/
{
	@[probefunc] = count();
}

END
{
	trunc(@, MOST);
	printa("%15s %@d\n", @);
}
