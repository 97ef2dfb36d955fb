/* Calls, in thousands and in the hundred, without counting anew. */
#pragma D option quiet
syscall::getppid:entry { @n = count(); }
END
{
	normalize(@n, 100);
	printa("hundreds %@d\n", @n);
	normalize(@n, 1000);
	printa("thousands %@d\n", @n);
	denormalize(@n);
	printa("ones %@d\n", @n);
}
