#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tcplife: shows each TCP connection that ends: whose it was, how long it lived, and what it carried
 *
 * A line for each end of a connection on this machine: the process that asked for it or closed it, its own address and port,
 * those of the other side, the bytes that it sent and those that came, and how long it was open
 * in milliseconds. A connection that was open before tracing began, or is open still when it ends, has no line.
 *
 * option port=COUNT: only of this port, on either side; 0 is any
 * option name=NAME: only programs with this name
 * needs: root, and Linux 6.1
 * example: sonde tcplife curl -s https://deb.debian.org
 *     how long the connection was open, and what it carried
 */
#pragma D option quiet

/* Its end has a place among the bytes that come, and the kernel counts it (SOCK_DONE). */
inline int had_fin = ((struct sock *)arg0)->__sk_common.skc_flags >> 1 & 1;

BEGIN
{
	printf("%-7s %-16s %5s %5s %12s %12s %12s %s\n", "PID", "PROGRAM", "OWN", "OTHER", "SENT", "RECEIVED", "TIME ms",
	    "OWN ADDRESS, OTHER ADDRESS");
}

/* Only these two are in a thread of the process whose connection it is. */
tcp:::connect-request,
tcp:::state-change
/probename == "connect-request" || arg2 == TCP_STATE_FIN_WAIT_1 || arg2 == TCP_STATE_LAST_ACK/
{
	process[arg0] = pid;
	program[arg0] = execname;
	meant[arg0] = ($$name == "" || execname == $$name) && ($target == 0 || progenyof($target));
}

tcp:::connect-established,
tcp:::accept-established
/$port == 0 || args[3]->tcps_lport == $port || args[3]->tcps_rport == $port/
{
	opened[arg0] = timestamp;
	own[arg0] = args[3]->tcps_lport;  /* it is free again when the connection is closed */
}

tcp:::state-change
/arg2 == TCP_STATE_CLOSED && opened[arg0] && (meant[arg0] || (process[arg0] == 0 && $target == 0 && $$name == ""))/
{
	printf("%-7d %-16s %5d %5d %12d %12d %8d.%03d %s %s\n", process[arg0], process[arg0] ? program[arg0] : "-",
	    own[arg0], args[3]->tcps_rport, ((struct tcp_sock *)arg0)->bytes_sent - ((struct tcp_sock *)arg0)->bytes_retrans,
	    ((struct tcp_sock *)arg0)->bytes_received - had_fin, (timestamp - opened[arg0]) / 1000000,
	    (timestamp - opened[arg0]) / 1000 % 1000, args[3]->tcps_laddr, args[3]->tcps_raddr);
}

tcp:::state-change
/arg2 == TCP_STATE_CLOSED/
{
	opened[arg0] = 0;
	own[arg0] = 0;
	process[arg0] = 0;
	program[arg0] = 0;
	meant[arg0] = 0;
}
