// SPDX-License-Identifier: GPL-3.0-or-later
// The functions of the running kernel and of its modules: /proc/kallsyms, and which of them it lets tracers into
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/process/kernel_files.h"

namespace sonde {

/// Functions of one module that share a name, as static ones may.
struct KernelFunction {
  std::string_view module;  ///< "vmlinux" for the kernel itself
  std::string_view name;
  std::span<const uint64_t> addresses;
};

class KernelFunctions {
 public:
  /// Reads those that are not gone after the boot, and that are not a part of another one.
  /// Errors: EACCES, this user may see no addresses; those of the file.
  static Result<KernelFunctions> read(const std::string& path = "/proc/kallsyms");
  /// Those of the running kernel: read at the first call, which takes 50 ms, and kept for all who ask. Errors: as read().
  static const Result<KernelFunctions>& running();

  /// By module and name, the kernel's own first.
  std::span<const KernelFunction> all() const { return functions_; }
  /// Where the kernel's own function of that name begins, or what the compiler has made of it: NAME.isra.0,
  /// NAME.constprop.0. None: it has none.
  std::vector<uint64_t> addresses_of(std::string_view name) const;
  /// Whether the kernel was built with fprobe or kprobes, one of which programs need to be run at functions.
  bool let_programs_in() const;

 private:
  KernelText text_;
  std::vector<uint64_t> addresses_;
  std::vector<KernelFunction> functions_;
};

/// The names of functions that the kernel lets tracers into, of all modules, sorted; empty: it does not say, or not to us.
class TraceableNames {
 public:
  /// `path`: tracefs's list; by default the one of a tracefs of our own, which need not be mounted.
  static TraceableNames read(const std::string& path = "");
  bool known() const { return !names_.empty(); }
  bool contains(std::string_view name) const;

 private:
  KernelText text_;
  std::vector<std::string_view> names_;
};

}  // namespace sonde
