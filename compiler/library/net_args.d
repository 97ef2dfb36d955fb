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
