#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tcpconnect: shows each connection that a program asks for by TCP, and what becomes of it
 *
 * A line for each when it is decided: the process, how long that took in milliseconds, what became of it (open, refused, or
 * failed: nobody answered in time, or the program gave up), the address and the port. A connection that is not decided when
 * tracing ends has no line.
 *
 * option port=COUNT: only to this port; 0 is any
 * option failed: only connections that are refused or fail
 * option name=NAME: only programs with this name
 * needs: root, and Linux 6.1
 * example: sonde tcpconnect curl -s https://deb.debian.org
 *     to which address curl connects, and how long that takes
 */
#pragma D option quiet

BEGIN
{
	printf("%-7s %-16s %12s %-8s %5s %s\n", "PID", "PROGRAM", "TIME ms", "RESULT", "PORT", "ADDRESS");
}

tcp:::connect-request
/($$name == "" || execname == $$name) && ($port == 0 || args[3]->tcps_rport == $port) && ($target == 0 || progenyof($target))/
{
	asked[arg0] = timestamp;
	process[arg0] = pid;
	program[arg0] = execname;
}

tcp:::connect-established
/asked[arg0] && !$failed/
{
	printf("%-7d %-16s %8d.%03d %-8s %5d %s\n", process[arg0], program[arg0], (timestamp - asked[arg0]) / 1000000,
	    (timestamp - asked[arg0]) / 1000 % 1000, "open", args[3]->tcps_rport, args[3]->tcps_raddr);
}

tcp:::connect-refused
/asked[arg0]/
{
	printf("%-7d %-16s %8d.%03d %-8s %5d %s\n", process[arg0], program[arg0], (timestamp - asked[arg0]) / 1000000,
	    (timestamp - asked[arg0]) / 1000 % 1000, "refused", args[3]->tcps_rport, args[3]->tcps_raddr);
}

tcp:::connect-established,
tcp:::connect-refused
{
	asked[arg0] = 0;
	process[arg0] = 0;
	program[arg0] = 0;
}

tcp:::state-change
/arg2 == TCP_STATE_CLOSED && asked[arg0]/
{
	printf("%-7d %-16s %8d.%03d %-8s %5d %s\n", process[arg0], program[arg0], (timestamp - asked[arg0]) / 1000000,
	    (timestamp - asked[arg0]) / 1000 % 1000, "failed", args[3]->tcps_rport, args[3]->tcps_raddr);
	asked[arg0] = 0;
	process[arg0] = 0;
	program[arg0] = 0;
}
