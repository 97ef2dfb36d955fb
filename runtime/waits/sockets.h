// SPDX-License-Identifier: GPL-3.0-or-later
// The other end of a socket
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sonde {

struct SocketPeer {
  std::string file;  ///< as a descriptor's link has it, "socket:[123]"; empty: it is not on this machine, or not known
  std::string text;  ///< who it is, if it has no file: "10.0.0.1:5432", "a client"
};

/// `file`: of a descriptor of `pid`, "socket:[123]".
SocketPeer find_peer(uint32_t pid, const std::string& file);

/// Whether a call that waits on the socket ends after a time that setsockopt() has set. None: that cannot be asked.
std::optional<bool> has_time_out(uint32_t pid, int fd, bool writes);

}  // namespace sonde
