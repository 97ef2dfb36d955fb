// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include "runtime/bpf/cpus.h"

#include <linux/netlink.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>

namespace sonde::bpf {
namespace {

constexpr std::string_view kCameOnline = "online@/devices/system/cpu/cpu";
constexpr uint32_t kKernelGroup = 1;  ///< of netlink: what the kernel sends itself

/// Reads a number from the beginning of `text`. False: there is none.
bool take_number(std::string_view& text, uint32_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

}  // namespace

std::vector<uint32_t> parse_cpus(std::string_view list) {
  std::vector<uint32_t> cpus;
  uint32_t first = 0;
  while (take_number(list, first)) {
    uint32_t last = first;
    if (list.starts_with('-')) {
      list.remove_prefix(1);
      if (!take_number(list, last)) break;
    }
    for (uint32_t cpu = first; cpu <= last; cpu++) cpus.push_back(cpu);
    if (list.starts_with(',')) list.remove_prefix(1);
  }
  return cpus;
}

std::vector<uint32_t> online_cpus() {
  std::ifstream file("/sys/devices/system/cpu/online");
  std::string text;
  std::getline(file, text);
  std::vector<uint32_t> cpus = parse_cpus(text);
  const auto configured = static_cast<uint32_t>(std::max(1L, sysconf(_SC_NPROCESSORS_CONF)));
  for (uint32_t cpu = 0; text.empty() && cpu < configured; cpu++) cpus.push_back(cpu);
  return cpus;
}

Result<CpuNews> CpuNews::open() {
  UniqueFd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT));
  if (!socket) return Error::from_errno("listen for CPUs that come online");
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  address.nl_groups = kKernelGroup;
  if (bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return Error::from_errno("listen for CPUs that come online");
  return CpuNews(std::move(socket));
}

std::vector<uint32_t> CpuNews::take() {
  std::vector<uint32_t> came;
  std::array<char, 4096> message;
  for (;;) {
    const ssize_t bytes = recv(socket_.get(), message.data(), message.size(), 0);
    if (bytes < 0 && errno == ENOBUFS) {  // some news are lost: all may have come
      came = online_cpus();
      continue;
    }
    if (bytes <= 0) return came;
    std::string_view text(message.data(), static_cast<size_t>(bytes));
    uint32_t cpu = 0;
    if (!text.starts_with(kCameOnline)) continue;
    text.remove_prefix(kCameOnline.size());
    if (take_number(text, cpu)) came.push_back(cpu);
  }
}

}  // namespace sonde::bpf
