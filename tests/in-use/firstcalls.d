/* The first $1 calls, then the end. */
#pragma D option quiet
syscall::getppid:entry
{
	printf("%d\n", ++n);
}
syscall::getppid:entry
/n == $1/
{
	exit(0);
}
END { printf("after %d\n", n); }
