// SPDX-License-Identifier: GPL-3.0-or-later
// tcp: connections and their segments
//
// A change of a connection's state is an event of its socket, which has no packet: args[0]->pkt_addr is 0 there, and
// addresses and ports are the socket's. Segments are packets of ip.
#include "providers/kernel_probes.h"
#include "providers/provider_entry.h"

namespace sonde {
namespace {

constexpr uint32_t kLinux61 = KERNEL_VERSION(6, 1, 0);
constexpr uint32_t kLinux610 = KERNEL_VERSION(6, 10, 0);  ///< resets without a socket pass the tracepoint
constexpr char kPacket[] = "struct sk_buff *", kHeader[] = "struct iphdr *";
constexpr char kSocket[] = "struct sock *";

constexpr KernelArgument kSocketArguments[] = {{0, kSocket, "pktinfo_t *"},
                                               {0, kSocket, "csinfo_t *"},
                                               {0, kSocket, "ipinfo_t *"},
                                               {0, kSocket, "tcpsinfo_t *"},
                                               {0, kSocket, "tcpinfo_t *"}};
constexpr KernelArgument kRefusedArguments[] = {{1, kPacket, "pktinfo_t *"}, {1, kPacket, "csinfo_t *"}};
constexpr KernelArgument kSegmentArguments[] = {{0, kPacket, "pktinfo_t *"},
                                                {0, kPacket, "csinfo_t *"},
                                                {SONDE_ARGUMENT_DERIVED, kHeader, "ipinfo_t *"},
                                                {0, kPacket, "tcpsinfo_t *"},
                                                {SONDE_ARGUMENT_DERIVED, kHeader, "tcpinfo_t *"}};
constexpr KernelArgument kStateArguments[] = {{kNoArgument, "void *"}, {0, kSocket, "csinfo_t *"},
                                              {kNoArgument, "void *"}, {0, kSocket, "tcpsinfo_t *"},
                                              {kNoArgument, "void *"}, {1, "int32_t", "tcplsinfo_t *"}};

/// A probe of a socket whose state changes: the tracepoint has the old state in arg1, the new one in arg2. `from_peer`:
/// "1" if the packet that changes it comes from the other end.
constexpr KernelProbeRow change(const char* name, const char* when, const char* from_peer) {
  return {name, "inet_sock_set_state", kLinux61, when, from_peer, kSocketArguments};
}

#define SONDE_IS_TCP "((struct sock *)arg0)->sk_protocol == 6"

constexpr KernelProbeRow kProbes[] = {
    change("accept-established", SONDE_IS_TCP " && arg1 == 3 && arg2 == 1", "1"),
    {"accept-refused", "tcp_send_reset", kLinux610, "arg0 == 0 && arg1 != 0", nullptr, kRefusedArguments},
    change("connect-established", SONDE_IS_TCP " && arg1 == 2 && arg2 == 1", "1"),
    {"connect-refused", "tcp_receive_reset", kLinux61, "((struct sock *)arg0)->__sk_common.skc_state == 2", "1",
     kSocketArguments},
    change("connect-request", SONDE_IS_TCP " && arg1 == 7 && arg2 == 2", nullptr),
    {"receive", "netif_receive_skb", kLinux61, "__receives[(struct sk_buff *)arg0, 6]",
     "__received_ip[(struct sk_buff *)arg0]", kSegmentArguments},
    {"send", "net_dev_queue", kLinux61, "__sends[(struct sk_buff *)arg0, 6]", "__sent_ip[(struct sk_buff *)arg0]",
     kSegmentArguments},
    {"state-change", "inet_sock_set_state", kLinux61, SONDE_IS_TCP, nullptr, kStateArguments},
};

KernelProvider g_tcp{"tcp", kProbes, {}};

}  // namespace
}  // namespace sonde

extern "C" int sonde_tcp_register(void) { return sonde::register_kernel_provider(sonde::g_tcp); }
extern "C" void sonde_tcp_unregister(void) { dtrace_unregister(sonde::g_tcp.id); }
