#!/usr/sbin/dtrace -s
#pragma D option quiet
syscall:::entry
/progenyof($target)/
{
	@num[pid == $target ? "parent" : "child", probefunc] = count();
}
END
{
	printf("%8s %-20s %8s\n", "WHO", "CALL", "COUNT");
	printa("%8s %-20s %@8d\n", @num);
}
