// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/waits/sockets.h"

#include <arpa/inet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <sstream>
#include <vector>

#include "runtime/base/unique_fd.h"
#include "runtime/waits/facts.h"

namespace sonde {
namespace {

std::string link_of(uint64_t inode) { return "socket:[" + std::to_string(inode) + "]"; }

// ---- UNIX sockets: the kernel is asked by sock_diag

struct UnixSocket {
  uint32_t peer = 0;  ///< 0: none
  bool listens = false;
};

std::optional<UnixSocket> parse_unix(const nlmsghdr* head, size_t length) {
  if (!NLMSG_OK(head, length) || head->nlmsg_type != SOCK_DIAG_BY_FAMILY) return std::nullopt;
  const auto* about = static_cast<const unix_diag_msg*>(NLMSG_DATA(head));
  UnixSocket socket{0, about->udiag_state == TCP_LISTEN};
  auto rest = static_cast<int>(head->nlmsg_len - NLMSG_LENGTH(sizeof *about));
  for (const auto* at = reinterpret_cast<const rtattr*>(about + 1); RTA_OK(at, rest); at = RTA_NEXT(at, rest))
    if (at->rta_type == UNIX_DIAG_PEER) std::memcpy(&socket.peer, RTA_DATA(at), sizeof socket.peer);
  return socket;
}

/// None: there is no such UNIX socket in our network namespace, or the kernel does not tell.
std::optional<UnixSocket> unix_socket(uint64_t inode) {
  struct {
    nlmsghdr head;
    unix_diag_req what;
  } request{{sizeof request, SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST, 0, 0},
            {AF_UNIX, 0, 0, ~0u, static_cast<uint32_t>(inode), UDIAG_SHOW_PEER, {~0u, ~0u}}};
  const UniqueFd asks(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!asks || ::send(asks.get(), &request, sizeof request, 0) < 0) return std::nullopt;
  alignas(nlmsghdr) std::array<char, 4096> answer;
  const ssize_t got = ::recv(asks.get(), answer.data(), answer.size(), 0);
  return got <= 0 ? std::nullopt
                  : parse_unix(reinterpret_cast<const nlmsghdr*>(answer.data()), static_cast<size_t>(got));
}

// ---- TCP: the table of the process's network namespace

struct TcpSocket {
  std::string local, remote;  ///< "0100007F:1F90"
  unsigned state = 0;
  uint64_t inode = 0;
};

/// An IPv4 address in IPv6's form is the IPv4 address.
std::string plain_address(const std::string& address) {
  constexpr std::string_view kMapped = "0000000000000000FFFF0000";
  return address.starts_with(kMapped) ? address.substr(kMapped.size()) : address;
}

std::vector<TcpSocket> tcp_sockets(uint32_t pid) {
  std::vector<TcpSocket> all;
  for (const char* table : {"/net/tcp", "/net/tcp6"}) {
    std::istringstream lines(text_of_file("/proc/" + std::to_string(pid) + table));
    std::string line, skipped;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
      std::istringstream words(line);
      TcpSocket one;
      words >> skipped >> one.local >> one.remote >> std::hex >> one.state >> std::dec;
      for (int i = 0; i < 5; i++) words >> skipped;
      words >> one.inode;
      one.local = plain_address(one.local);
      one.remote = plain_address(one.remote);
      all.push_back(std::move(one));
    }
  }
  return all;
}

/// "10.0.0.1:5432" of "0100000A:1538": words in the machine's order.
std::string address_text(const std::string& address) {
  const size_t colon = address.find(':');
  std::array<uint32_t, 4> words{};
  for (size_t i = 0; i < words.size() && 8 * i < colon; i++)
    words[i] = static_cast<uint32_t>(std::stoul(address.substr(8 * i, 8), nullptr, 16));
  char text[INET6_ADDRSTRLEN] = "";
  const bool is_short = colon == 8;
  ::inet_ntop(is_short ? AF_INET : AF_INET6, words.data(), text, sizeof text);
  const std::string port = std::to_string(std::stoul(address.substr(colon + 1), nullptr, 16));
  return is_short ? std::string(text) + ":" + port : "[" + std::string(text) + "]:" + port;
}

SocketPeer tcp_peer(uint32_t pid, uint64_t inode) {
  const std::vector<TcpSocket> all = tcp_sockets(pid);
  const auto own = std::ranges::find(all, inode, &TcpSocket::inode);
  if (own == all.end()) return {};
  if (own->state == TCP_LISTEN) return {"", "a client"};
  const auto peer = std::ranges::find_if(all, [&](const TcpSocket& one) {
    return one.local == own->remote && one.remote == own->local && one.inode != 0;
  });
  return peer == all.end() ? SocketPeer{"", address_text(own->remote)} : SocketPeer{link_of(peer->inode), ""};
}

}  // namespace

SocketPeer find_peer(uint32_t pid, const std::string& file) {
  const uint64_t inode = number_behind(file, "socket:[");
  if (const auto found = unix_socket(inode)) {
    if (found->listens) return {"", "a client"};
    return found->peer == 0 ? SocketPeer{} : SocketPeer{link_of(found->peer), ""};
  }
  return tcp_peer(pid, inode);
}

std::optional<bool> has_time_out(uint32_t pid, int fd, bool writes) {
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  const UniqueFd socket(process ? static_cast<int>(::syscall(SYS_pidfd_getfd, process.get(), fd, 0)) : -1);
  timeval time{};
  socklen_t size = sizeof time;
  if (!socket || ::getsockopt(socket.get(), SOL_SOCKET, writes ? SO_SNDTIMEO : SO_RCVTIMEO, &time, &size) != 0)
    return std::nullopt;
  return time.tv_sec != 0 || time.tv_usec != 0;
}

}  // namespace sonde
