// SPDX-License-Identifier: GPL-3.0-or-later
// The built-in providers, in the order in which they register: one line each. Each has a folder of its name with
// sonde_<name>_register() and sonde_<name>_unregister(), and uses only provider.h of the framework.
#pragma once

#include <string>
#include <string_view>

#define SONDE_PROVIDERS(X)                     \
  X(dtrace) /* first: its probes are 1 to 3 */ \
  X(profile)                                   \
  X(cpc)                                       \
  X(syscall)                                   \
  X(proc)                                      \
  X(signal)                                    \
  X(sched)                                     \
  X(io)                                        \
  X(vminfo)                                    \
  X(sysinfo)                                   \
  X(rawtp)                                     \
  X(sdt)                                       \
  X(fbt)                                       \
  X(lockstat)                                  \
  X(ip)                                        \
  X(tcp)                                       \
  X(udp)                                       \
  X(usdt)                                      \
  X(plockstat)                                 \
  X(tcl)                                       \
  X(mysql)                                     \
  X(javascript)                                \
  X(pid)

/// Those of them whose names the probes of programs have, too.
#define SONDE_PROVIDERS_OF_PROGRAMS(X) X(tcl) X(mysql) X(javascript)

namespace sonde {

/// Registers them with the current framework, which must exist.
void register_providers();

/// What programs of -c get in their environment so that they fire the probes of a provider of theirs, "NAME=VALUE"; empty:
/// nothing. `provider` and `probe`: as a description names them.
std::string environment_for(std::string_view provider, std::string_view probe);

/// Why a program that has the probe may not fire it; empty: nothing is known.
std::string_view why_silent(std::string_view provider, std::string_view probe);

/// Unregisters them, when nothing of them is enabled. Call it before the framework is destroyed.
void unregister_providers();

}  // namespace sonde
