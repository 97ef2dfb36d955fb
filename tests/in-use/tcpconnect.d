#!/usr/sbin/dtrace -s
/* Connections that programs ask for. */
#pragma D option quiet
tcp:::connect-request
{
	printf("%d %s %s %d\n", pid, execname, args[3]->tcps_raddr, args[3]->tcps_rport);
}
