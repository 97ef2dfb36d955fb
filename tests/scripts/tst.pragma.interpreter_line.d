#!/usr/sbin/dtrace -s
/* @sonde: -q */
/* the first line of a script may name its interpreter */
BEGIN
{
	printf("script\n");
	exit(0);
}
