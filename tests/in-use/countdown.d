#!/usr/sbin/dtrace -s
#pragma D option quiet
BEGIN { i = 10; }
profile:::tick-10ms
/i > 0/
{
	printf("%d\n", i--);
}
profile:::tick-10ms
/i == 0/
{
	printf("blastoff!\n");
	exit(0);
}
