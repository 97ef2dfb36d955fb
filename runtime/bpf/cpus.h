// SPDX-License-Identifier: MIT OR GPL-2.0-only
// The CPUs that are online, and news of those that come
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/base/unique_fd.h"

namespace sonde::bpf {

/// The numbers in a list as the kernel writes them: "0-2,8" is 0, 1, 2, 8.
std::vector<uint32_t> parse_cpus(std::string_view list);
/// In ascending order; at least one.
std::vector<uint32_t> online_cpus();

/// What the kernel tells of its devices (netlink), as far as it is about CPUs.
class CpuNews {
 public:
  /// Errors: those of socket(2) and bind(2), where a container or a kernel has no such news.
  static Result<CpuNews> open();
  /// Readable when take() may return something.
  int fd() const { return socket_.get(); }
  /// The CPUs that have come online since the last call.
  std::vector<uint32_t> take();

 private:
  explicit CpuNews(UniqueFd socket) : socket_(std::move(socket)) {}
  UniqueFd socket_;
};

}  // namespace sonde::bpf
