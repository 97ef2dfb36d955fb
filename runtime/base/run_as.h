// SPDX-License-Identifier: GPL-3.0-or-later
// Who a program runs as: --user
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/result.h"

namespace sonde {

struct RunAs {
  uint32_t uid = 0, gid = 0;
  std::vector<uint32_t> groups;
};

/// A user by name or number, with the groups that a login would give. Errors: ENOENT; EPERM, we are not root.
Result<RunAs> find_user(const std::string& name);

/// Makes this process that user's, with the effective ids that an exec of the set-uid program `path` would give it: a
/// tracer without privilege keeps the kernel from giving them. Returns 0 or an errno.
/// Context: between fork and exec.
int become_user(const RunAs& user, const char* path);

}  // namespace sonde
