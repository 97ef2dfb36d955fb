#!/usr/sbin/dtrace -s
/* @rows: cmd.interpreter */
/* @sonde: -q */
/* the first line of a script may name its interpreter */
BEGIN
{
	printf("script\n");
	exit(0);
}
