// SPDX-License-Identifier: GPL-3.0-or-later
// udp: datagrams that the machine sends and receives, as packets of ip
#include "providers/kernel_probes.h"
#include "providers/provider_entry.h"

namespace sonde {
namespace {

constexpr uint32_t kLinux61 = KERNEL_VERSION(6, 1, 0);
constexpr char kPacket[] = "struct sk_buff *", kHeader[] = "struct iphdr *";

constexpr KernelArgument kDatagramArguments[] = {{0, kPacket, "pktinfo_t *"},
                                                 {0, kPacket, "csinfo_t *"},
                                                 {SONDE_ARGUMENT_DERIVED, kHeader, "ipinfo_t *"},
                                                 {0, kPacket, "udpsinfo_t *"},
                                                 {SONDE_ARGUMENT_DERIVED, kHeader, "udpinfo_t *"}};

constexpr KernelProbeRow kProbes[] = {
    {"send", "net_dev_queue", kLinux61, "__sends[(struct sk_buff *)arg0, 17]", "__sent_ip[(struct sk_buff *)arg0]",
     kDatagramArguments},
    {"receive", "netif_receive_skb", kLinux61, "__receives[(struct sk_buff *)arg0, 17]",
     "__received_ip[(struct sk_buff *)arg0]", kDatagramArguments},
};

KernelProvider g_udp{"udp", kProbes, {}};

}  // namespace
}  // namespace sonde

extern "C" int sonde_udp_register(void) { return sonde::register_kernel_provider(sonde::g_udp); }
extern "C" void sonde_udp_unregister(void) { dtrace_unregister(sonde::g_udp.id); }
