// SPDX-License-Identifier: GPL-3.0-or-later
// ip: packets that the machine gives to a network device, or gets from one
//
// Loopback is a device as others. What a card joins or divides itself is one packet here.
#include "providers/kernel_probes.h"
#include "providers/provider_entry.h"

namespace sonde {
namespace {

constexpr uint32_t kLinux61 = KERNEL_VERSION(6, 1, 0);
constexpr char kPacket[] = "struct sk_buff *", kHeader[] = "struct iphdr *";
// In network byte order: ETH_P_IP, ETH_P_IPV6.
constexpr char kIsIp[] = "((struct sk_buff *)arg0)->protocol == 8 || ((struct sk_buff *)arg0)->protocol == 0xdd86";

constexpr KernelArgument kPacketArguments[] = {{0, kPacket, "pktinfo_t *"},
                                               {0, kPacket, "csinfo_t *"},
                                               {SONDE_ARGUMENT_DERIVED, kHeader, "ipinfo_t *"},
                                               {0, kPacket, "ifinfo_t *"},
                                               {SONDE_ARGUMENT_DERIVED, kHeader, "ipv4info_t *"},
                                               {SONDE_ARGUMENT_DERIVED, kHeader, "ipv6info_t *"}};

constexpr KernelProbeRow kProbes[] = {
    {"send", "net_dev_queue", kLinux61, kIsIp, "__sent_ip[(struct sk_buff *)arg0]", kPacketArguments},
    {"receive", "netif_receive_skb", kLinux61, kIsIp, "__received_ip[(struct sk_buff *)arg0]", kPacketArguments},
};

KernelProvider g_ip{"ip", kProbes, {}};

}  // namespace
}  // namespace sonde

extern "C" int sonde_ip_register(void) { return sonde::register_kernel_provider(sonde::g_ip); }
extern "C" void sonde_ip_unregister(void) { dtrace_unregister(sonde::g_ip.id); }
