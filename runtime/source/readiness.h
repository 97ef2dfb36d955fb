// SPDX-License-Identifier: GPL-3.0-or-later
// Which event sources would work here, without opening one, and what to do about those that would not
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sonde {

/// What the kernel answered; each is an errno, 0: it works.
struct SourceTrial {
  int trace_error = 0;   ///< of PTRACE_SEIZE of a child
  int device_error = 0;  ///< of open() of /dev/sonde
  std::string machine_lacks =
      {};                 ///< why no program can be loaded into the kernel to trace the machine; empty: they can
  bool filtered = false;  ///< a seccomp filter is on this process
};

/// Forks a child for a moment, so call it before threads exist.
SourceTrial try_sources();

struct SourceReadiness {
  std::string name;
  bool works;
  std::string text;
  std::string command;  ///< that mends it, for root; empty: there is none
};

/// One for each source. `root`: the folder that /proc and /lib are in; empty: the machine's own.
std::vector<SourceReadiness> source_readiness(const SourceTrial& trial, const std::string& root);

/// The release of the running kernel: "6.1.0-50-amd64".
std::string kernel_release(const std::string& root = "");
/// Whether modprobe would find sonde.ko for that release.
bool module_is_installed(const std::string& release, const std::string& root = "");
/// How the module is built.
inline constexpr char kHowToBuildModule[] =
    "the package sonde-dkms; in a checkout make -C kmod, then insmod kmod/sonde.ko";

}  // namespace sonde
