// SPDX-License-Identifier: GPL-3.0-or-later
// The built-in providers, in the order in which they register: one line each. Each has a folder of its name with
// sonde_<name>_register() and sonde_<name>_unregister(), and uses only provider.h of the framework.
#pragma once

#define SONDE_PROVIDERS(X)                     \
  X(dtrace) /* first: its probes are 1 to 3 */ \
  X(profile)                                   \
  X(syscall)                                   \
  X(proc)                                      \
  X(signal)                                    \
  X(sched)                                     \
  X(io)                                        \
  X(rawtp)                                     \
  X(fbt)                                       \
  X(lockstat)                                  \
  X(ip)                                        \
  X(tcp)                                       \
  X(udp)                                       \
  X(usdt)                                      \
  X(pid)

namespace sonde {

/// Registers them with the current framework, which must exist.
void register_providers();

/// Unregisters them, when nothing of them is enabled. Call it before the framework is destroyed.
void unregister_providers();

}  // namespace sonde
