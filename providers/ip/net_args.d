/* SPDX-License-Identifier: GPL-3.0-or-later */
typedef struct pktinfo { uintptr_t pkt_addr; } pktinfo_t;
typedef struct csinfo { uintptr_t cs_addr; uint64_t cs_cid; pid_t cs_pid; zoneid_t cs_zoneid; } csinfo_t;
typedef struct ipinfo { uint8_t ip_ver; uint32_t ip_plength; string ip_saddr; string ip_daddr; } ipinfo_t;
typedef struct ifinfo { string if_name; int8_t if_local; int if_ipstack; uintptr_t if_addr; } ifinfo_t;
typedef struct ipv4info {
  uint8_t ipv4_ver; uint8_t ipv4_ihl; uint8_t ipv4_tos; uint16_t ipv4_length; uint16_t ipv4_ident; uint8_t ipv4_flags;
  uint16_t ipv4_offset; uint8_t ipv4_ttl; uint8_t ipv4_protocol; string ipv4_protostr; uint16_t ipv4_checksum; ipaddr_t ipv4_src;
  ipaddr_t ipv4_dst; string ipv4_saddr; string ipv4_daddr; uintptr_t ipv4_hdr;
} ipv4info_t;
typedef struct ipv6info {
  uint8_t ipv6_ver; uint8_t ipv6_tclass; uint32_t ipv6_flow; uint16_t ipv6_plen; uint8_t ipv6_nexthdr; string ipv6_nextstr;
  uint8_t ipv6_hlim; uintptr_t ipv6_src; uintptr_t ipv6_dst; string ipv6_saddr; string ipv6_daddr; uintptr_t ipv6_hdr;
} ipv6info_t;
typedef struct tcpinfo {
  uint16_t tcp_sport; uint16_t tcp_dport; uint32_t tcp_seq; uint32_t tcp_ack; uint8_t tcp_offset; uint8_t tcp_flags;
  uint16_t tcp_window; uint16_t tcp_checksum; uint16_t tcp_urgent; uintptr_t tcp_hdr;
} tcpinfo_t;
typedef struct tcpsinfo {
  uintptr_t tcps_addr; int tcps_local; int tcps_active; uint16_t tcps_lport; uint16_t tcps_rport; string tcps_laddr; string tcps_raddr;
  int32_t tcps_state; uint32_t tcps_iss; uint32_t tcps_irs; uint32_t tcps_suna; uint32_t tcps_smax; uint32_t tcps_snxt;
  uint32_t tcps_rnxt; uint32_t tcps_swnd; int32_t tcps_snd_ws; uint32_t tcps_rwnd; int32_t tcps_rcv_ws; uint32_t tcps_cwnd;
  uint32_t tcps_cwnd_ssthresh; uint32_t tcps_mss; uint32_t tcps_rto; int tcps_retransmit; uint32_t tcps_rtt; uint32_t tcps_rtt_sd;
} tcpsinfo_t;
typedef struct tcplsinfo { int32_t tcps_state; } tcplsinfo_t;
typedef struct udpinfo { uint16_t udp_sport; uint16_t udp_dport; uint16_t udp_length; uint16_t udp_checksum; uintptr_t udp_hdr; } udpinfo_t;
typedef struct udpsinfo { uintptr_t udps_addr; uint16_t udps_lport; uint16_t udps_rport; string udps_laddr; string udps_raddr; } udpsinfo_t;
/*
 * A packet is a struct sk_buff. Where it is sent, its headers are known; where it is received, its data begin with the IP
 * header. So the providers say where that is.
 */
inline string __protocol[uint8_t P] = P == 6 ? "TCP" : P == 17 ? "UDP" : P == 1 ? "ICMP" : P == 58 ? "IPV6-ICMP" : P == 2 ? "IGMP" : "";
inline struct iphdr *__sent_ip[struct sk_buff *S] = (struct iphdr *)(S->head + S->network_header);
inline struct iphdr *__received_ip[struct sk_buff *S] = (struct iphdr *)S->data;
inline uintptr_t __behind[struct iphdr *H] = (uintptr_t)H + (H->version == 4) * 4 * H->ihl + (H->version == 6) * sizeof (struct ipv6hdr);
inline int __carries[struct sk_buff *S, struct iphdr *H, int protocol] = S->protocol == 8 && H->protocol == protocol ||
  S->protocol == 0xdd86 && ((struct ipv6hdr *)H)->nexthdr == protocol;
inline int __sends[struct sk_buff *S, int protocol] = __carries[S, __sent_ip[S], protocol];
inline int __receives[struct sk_buff *S, int protocol] = __carries[S, __received_ip[S], protocol];
translator pktinfo_t < struct sk_buff *S > { pkt_addr = (uintptr_t)S; };
translator csinfo_t < struct sk_buff *S > { cs_addr = (uintptr_t)S->sk; cs_pid = pid; cs_zoneid = 0; };
translator ifinfo_t < struct sk_buff *S > {
  if_name = stringof(S->dev->name); if_local = (S->dev->flags & 8) != 0; if_ipstack = 0; if_addr = (uintptr_t)S->dev;
};
translator ipinfo_t < struct iphdr *H > {
  ip_ver = H->version; ip_plength = H->version == 4 ? ntohs(H->tot_len) - 4 * H->ihl : ntohs(((struct ipv6hdr *)H)->payload_len);
  ip_saddr = H->version == 4 ? __address4(H->saddr) : __address6(*(uint64_t *)&((struct ipv6hdr *)H)->saddr, *((uint64_t *)&((struct ipv6hdr *)H)->saddr + 1));
  ip_daddr = H->version == 4 ? __address4(H->daddr) : __address6(*(uint64_t *)&((struct ipv6hdr *)H)->daddr, *((uint64_t *)&((struct ipv6hdr *)H)->daddr + 1));
};
translator ipv4info_t < struct iphdr *H > {
  ipv4_ver = H->version; ipv4_ihl = 4 * H->ihl; ipv4_tos = H->tos; ipv4_length = ntohs(H->tot_len); ipv4_ident = ntohs(H->id);
  ipv4_flags = ntohs(H->frag_off) >> 13; ipv4_offset = 8 * (ntohs(H->frag_off) & 0x1fff); ipv4_ttl = H->ttl;
  ipv4_protocol = H->protocol; ipv4_protostr = __protocol[H->protocol]; ipv4_checksum = ntohs(H->check);
  ipv4_src = H->saddr; ipv4_dst = H->daddr; ipv4_saddr = __address4(H->saddr); ipv4_daddr = __address4(H->daddr); ipv4_hdr = (uintptr_t)H;
};
translator ipv6info_t < struct iphdr *H > {
  ipv6_ver = H->version; ipv6_plen = ntohs(((struct ipv6hdr *)H)->payload_len); ipv6_nexthdr = ((struct ipv6hdr *)H)->nexthdr; ipv6_nextstr = __protocol[((struct ipv6hdr *)H)->nexthdr];
  ipv6_hlim = ((struct ipv6hdr *)H)->hop_limit; ipv6_saddr = __address6(*(uint64_t *)&((struct ipv6hdr *)H)->saddr, *((uint64_t *)&((struct ipv6hdr *)H)->saddr + 1)); ipv6_daddr = __address6(*(uint64_t *)&((struct ipv6hdr *)H)->daddr, *((uint64_t *)&((struct ipv6hdr *)H)->daddr + 1));
  ipv6_hdr = (uintptr_t)H;
};
translator tcpinfo_t < struct iphdr *H > {
  tcp_sport = ntohs(((struct tcphdr *)__behind[H])->source); tcp_dport = ntohs(((struct tcphdr *)__behind[H])->dest); tcp_seq = ntohl(((struct tcphdr *)__behind[H])->seq);
  tcp_ack = ntohl(((struct tcphdr *)__behind[H])->ack_seq); tcp_offset = 4 * ((struct tcphdr *)__behind[H])->doff; tcp_flags = *((uint8_t *)__behind[H] + 13);
  tcp_window = ntohs(((struct tcphdr *)__behind[H])->window); tcp_checksum = ntohs(((struct tcphdr *)__behind[H])->check); tcp_urgent = ntohs(((struct tcphdr *)__behind[H])->urg_ptr);
  tcp_hdr = __behind[H];
};
translator udpinfo_t < struct iphdr *H > {
  udp_sport = ntohs(((struct udphdr *)__behind[H])->source); udp_dport = ntohs(((struct udphdr *)__behind[H])->dest); udp_length = ntohs(((struct udphdr *)__behind[H])->len);
  udp_checksum = ntohs(((struct udphdr *)__behind[H])->check); udp_hdr = __behind[H];
};
/* A connection is a struct sock. __derived: the packet that changes it comes from the other end. */
translator pktinfo_t < struct sock *S > { pkt_addr = 0; };
translator csinfo_t < struct sock *S > { cs_addr = (uintptr_t)S; cs_pid = pid; cs_zoneid = 0; };
inline string __local[struct sock *S] = S->__sk_common.skc_family == 2 ? __address4(S->__sk_common.skc_rcv_saddr) : __address6(*(uint64_t *)&S->__sk_common.skc_v6_rcv_saddr, *((uint64_t *)&S->__sk_common.skc_v6_rcv_saddr + 1));
inline string __remote[struct sock *S] = S->__sk_common.skc_family == 2 ? __address4(S->__sk_common.skc_daddr) : __address6(*(uint64_t *)&S->__sk_common.skc_v6_daddr, *((uint64_t *)&S->__sk_common.skc_v6_daddr + 1));
translator ipinfo_t < struct sock *S > {
  ip_ver = S->__sk_common.skc_family == 2 ? 4 : 6; ip_plength = 0; ip_saddr = __derived ? __remote[S] : __local[S];
  ip_daddr = __derived ? __local[S] : __remote[S];
};
translator tcpinfo_t < struct sock *S > {
  tcp_sport = __derived ? ntohs(S->__sk_common.skc_dport) : S->__sk_common.skc_num;
  tcp_dport = __derived ? S->__sk_common.skc_num : ntohs(S->__sk_common.skc_dport);
};
translator tcpsinfo_t < struct sock *S > {
  tcps_addr = (uintptr_t)S; tcps_lport = S->__sk_common.skc_num; tcps_rport = ntohs(S->__sk_common.skc_dport);
  tcps_laddr = __local[S]; tcps_raddr = __remote[S]; tcps_state = S->__sk_common.skc_state;
  tcps_suna = ((struct tcp_sock *)S)->snd_una; tcps_snxt = ((struct tcp_sock *)S)->snd_nxt; tcps_rnxt = ((struct tcp_sock *)S)->rcv_nxt;
  tcps_swnd = ((struct tcp_sock *)S)->snd_wnd; tcps_rwnd = ((struct tcp_sock *)S)->rcv_wnd; tcps_cwnd = ((struct tcp_sock *)S)->snd_cwnd;
  tcps_cwnd_ssthresh = ((struct tcp_sock *)S)->snd_ssthresh; tcps_mss = ((struct tcp_sock *)S)->mss_cache;
};
translator tcpsinfo_t < struct sk_buff *B > {
  tcps_addr = (uintptr_t)B->sk; tcps_lport = B->sk != 0 ? B->sk->__sk_common.skc_num : 0;
  tcps_rport = B->sk != 0 ? ntohs(B->sk->__sk_common.skc_dport) : 0; tcps_laddr = B->sk != 0 ? __local[B->sk] : "";
  tcps_raddr = B->sk != 0 ? __remote[B->sk] : ""; tcps_state = B->sk != 0 ? B->sk->__sk_common.skc_state : 0;
};
translator udpsinfo_t < struct sk_buff *B > {
  udps_addr = (uintptr_t)B->sk; udps_lport = B->sk != 0 ? B->sk->__sk_common.skc_num : 0;
  udps_rport = B->sk != 0 ? ntohs(B->sk->__sk_common.skc_dport) : 0; udps_laddr = B->sk != 0 ? __local[B->sk] : "";
  udps_raddr = B->sk != 0 ? __remote[B->sk] : "";
};
translator tcplsinfo_t < int32_t T > { tcps_state = T; };
inline int TCP_STATE_ESTABLISHED = 1; inline int TCP_STATE_SYN_SENT = 2; inline int TCP_STATE_SYN_RECEIVED = 3;
inline int TCP_STATE_FIN_WAIT_1 = 4; inline int TCP_STATE_FIN_WAIT_2 = 5; inline int TCP_STATE_TIME_WAIT = 6; inline int TCP_STATE_CLOSED = 7;
inline int TCP_STATE_CLOSE_WAIT = 8; inline int TCP_STATE_LAST_ACK = 9; inline int TCP_STATE_LISTEN = 10; inline int TCP_STATE_CLOSING = 11;
inline string tcp_state_string[int32_t S] = S == 1 ? "state-established" : S == 2 ? "state-syn-sent" : S == 3 ? "state-syn-received" :
  S == 4 ? "state-fin-wait-1" : S == 5 ? "state-fin-wait-2" : S == 6 ? "state-time-wait" : S == 7 ? "state-closed" :
  S == 8 ? "state-close-wait" : S == 9 ? "state-last-ack" : S == 10 ? "state-listen" : S == 11 ? "state-closing" :
  S == 12 ? "state-syn-received" : "<unknown>";
