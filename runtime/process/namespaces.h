// SPDX-License-Identifier: GPL-3.0-or-later
// Namespaces of processes, as /proc shows them
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sonde {

/// The number that a process has in its own pid namespace, from the text of its /proc/PID/status; 0: it does not say.
uint64_t innermost_pid(std::string_view status);

/// The inode of the file that the path leads to, as /proc/PID/ns/pid; 0: there is none, or we may not ask.
uint64_t inode_of(const std::string& path);

}  // namespace sonde
