#!/usr/sbin/dtrace -s
/* How long connections live, and what they carry. */
#pragma D option quiet
tcp:::connect-established, tcp:::accept-established
{
	born[arg0] = timestamp;
	port[arg0] = args[3]->tcps_lport;
}
tcp:::state-change
/arg2 == TCP_STATE_CLOSED && born[arg0]/
{
	printf("%d %s %d %d ms\n", port[arg0], args[3]->tcps_raddr, args[3]->tcps_rport, (timestamp - born[arg0]) / 1000000);
	born[arg0] = 0;
}
