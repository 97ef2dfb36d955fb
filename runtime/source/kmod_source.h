// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "runtime/base/result.h"
#include "runtime/source/event_source.h"

namespace sonde {

/// A session of the kernel module. Without targets it sees every task of the machine.
/// Errors: ENOENT the module is not loaded; EACCES not root and not in the group of /dev/sonde; EPROTO the module
/// speaks another version; those of open(2).
Result<std::unique_ptr<EventSource>> make_kmod_source();

}  // namespace sonde
