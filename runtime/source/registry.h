// SPDX-License-Identifier: GPL-3.0-or-later
// How each of the event sources is opened: capabilities.h has their rows
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "runtime/base/result.h"
#include "runtime/source/event_source.h"

namespace sonde {

struct SourceOptions {
  bool own_group = false;   ///< targets in a process group of their own: Ctrl-C at a prompt does not reach them
  bool null_input = false;  ///< targets read /dev/null, not the prompt's terminal
  bool whole = false;       ///< refuse a source of which this user would get only a part

  /// In the process that targets are started from, or begin as: they inherit it.
  void apply() const;
};

/// Opens /dev/sonde. Errors: ENOENT the module is not loaded; EACCES not root and not in the device's group; EPERM in
/// a pid namespace, or `whole` is wanted and CAP_PERFMON or CAP_SYS_PTRACE is missing; EPROTO the module speaks another
/// version; those of open(2).
Result<std::unique_ptr<EventSource>> open_kmod_source(const SourceOptions& options);
/// Starts the guard: forks, so call it before any thread or LLVM exists.
Result<std::unique_ptr<EventSource>> open_ptrace_source(const SourceOptions& options);

struct SourceOpener {
  const SourceRow& row;
  Result<std::unique_ptr<EventSource>> (*open)(const SourceOptions& options);
};

/// One for each of kSourceRows, in their order.
std::span<const SourceOpener> source_openers();

struct OpenedSource {
  std::unique_ptr<EventSource> source;  ///< null: there is none without a target
  std::string missing;                  ///< why not every task of the machine can be traced; empty when it can
};

/// The source of that name; `auto`: the first that opens and gives all that it has. One that sees targets only is not opened without `targets`, one
/// that controls none not with them.
/// Errors: those of the source that was asked for by name; of the last one, for `auto`.
Result<OpenedSource> open_source(std::string_view name, bool targets, const SourceOptions& options,
                                 std::span<const SourceOpener> openers = source_openers());

/// That a source of that name has no targets().
Error no_control(std::string_view name);

}  // namespace sonde
