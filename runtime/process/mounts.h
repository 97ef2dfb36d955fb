// SPDX-License-Identifier: GPL-3.0-or-later
// Mounts, as /proc/PID/mountinfo shows them. A process in a chroot sees only those below its root, so what it does not see
// is looked up among our own.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sonde {

struct Mount {
  unsigned long id = 0;  ///< as in fdinfo
  uint32_t major = 0, minor = 0;
  std::string root, point, type;  ///< root: the part of the file system that is mounted
};

/// The mount with that number; none: it is in another namespace, or detached.
std::optional<Mount> mount_by_id(pid_t pid, unsigned long id);

/// Our own mount of that type; one of the whole file system, if there is one.
std::optional<Mount> mount_of_type(std::string_view type);

/// Whether another process, or another machine, provides the files of that device: FUSE and network file systems. To
/// open, look up or read such a file may take for ever. Not the file system at /.
bool is_served(pid_t pid, uint32_t major, uint32_t minor);

}  // namespace sonde
