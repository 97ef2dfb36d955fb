// SPDX-License-Identifier: GPL-3.0-or-later
// Mounts, as /proc/PID/mountinfo shows them. A process in a chroot sees only those below its root, so what it does not see
// is looked up among our own.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace sonde {

struct Mount {
  unsigned long id = 0;  ///< as in fdinfo
  uint32_t major = 0, minor = 0;
  std::string point, type;
};

/// The mount with that number; none: it is in another namespace, or detached.
std::optional<Mount> mount_by_id(pid_t pid, unsigned long id);

/// Whether another process, or another machine, provides the files of that device: FUSE and network file systems. To
/// open, look up or read such a file may take for ever. Not the file system at /.
bool is_served(pid_t pid, uint32_t major, uint32_t minor);

}  // namespace sonde
