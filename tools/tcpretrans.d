#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tcpretrans: shows each TCP segment that is sent again, because nobody has acknowledged it
 *
 * A line for each: the time of day, the own port, the port of the other side, the state of the connection, and the address of
 * the other side. Many of them say that the network loses packets, or that the other side does not answer. The kernel sends
 * again by a timer of its own, so there is no process.
 *
 * option port=COUNT: only of this port, on either side; 0 is any
 * option count: at the end the number for each address and port, instead of lines
 * needs: root, Linux 6.1, and no PROGRAM and -p: they change nothing
 * example: sonde tcpretrans --count --duration=60s
 *     to whom segments were sent again within a minute
 */
#pragma D option quiet

BEGIN
/!$count/
{
	printf("%-20s %5s %5s %-18s %s\n", "TIME", "OWN", "OTHER", "STATE", "ADDRESS");
}

rawtp:::tcp_retransmit_skb
{
	this->own = xlate <tcpsinfo_t> (args[0]).tcps_lport;
	this->other = xlate <tcpsinfo_t> (args[0]).tcps_rport;
	this->state = tcp_state_string[xlate <tcpsinfo_t> (args[0]).tcps_state];
	this->address = xlate <tcpsinfo_t> (args[0]).tcps_raddr;
}

rawtp:::tcp_retransmit_skb
/!$count && ($port == 0 || this->own == $port || this->other == $port)/
{
	printf("%-20Y %5d %5d %-18s %s\n", walltimestamp, this->own, this->other, this->state, this->address);
}

rawtp:::tcp_retransmit_skb
/$count && ($port == 0 || this->own == $port || this->other == $port)/
{
	@again[this->other, this->state, this->address] = count();
}

END
/$count/
{
	printf("%10s %5s %-18s %s\n", "SENT AGAIN", "OTHER", "STATE", "ADDRESS");
	printa("%@10d %5d %-18s %s\n", @again);
}
