#!/usr/sbin/dtrace -s
/* Segments that are sent again, by the peer's port and the state of the connection. */
#pragma D option quiet
rawtp:::tcp_retransmit_skb
{
	@[ntohs(args[0]->__sk_common.skc_dport), tcp_state_string[args[0]->__sk_common.skc_state]] = count();
}
