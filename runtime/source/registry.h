// SPDX-License-Identifier: GPL-3.0-or-later
// How each event source is opened; capabilities.h has their rows
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/source/event_source.h"

namespace sonde {

struct SourceOptions {
  bool own_group = false;  ///< targets get a process group of their own, so that Ctrl-C at a prompt does not reach them
  bool null_input = false;  ///< targets read /dev/null, not the prompt's terminal
  bool whole = false;       ///< refuse a source that gives this user only a part of what it can do

  std::vector<std::string> providers = {};  ///< of all probes that will be traced; none: it is not known

  /// Called in the process that starts the targets or becomes one: they inherit its effects.
  void apply() const;
};

/// Opens /dev/sonde. Errors: ENOENT the module is not loaded; EACCES not root and not in the device's group; EPERM in
/// a pid namespace, or `whole` is wanted and CAP_PERFMON or CAP_SYS_PTRACE is missing; EPROTO the module speaks another
/// version; those of open(2).
Result<std::unique_ptr<EventSource>> open_kmod_source(const SourceOptions& options);
/// Makes sure that this process may load programs into the kernel; loads none yet. Errors: EPERM what it lacks, or it is
/// in a pid namespace; ENOSYS, ENOENT the kernel is too old, or does not describe its structures.
Result<std::unique_ptr<EventSource>> open_bpf_source(const SourceOptions& options);
/// Starts the guard: forks, so call it before any thread or LLVM exists.
Result<std::unique_ptr<EventSource>> open_ptrace_source(const SourceOptions& options);

struct SourceOpener {
  const SourceRow& row;
  Result<std::unique_ptr<EventSource>> (*open)(const SourceOptions& options);
  std::span<const std::string_view> providers = {};  ///< those whose probes it traces; empty: all
  /// Where a target is named, only who names the source gets it, or who traces the kernel.
  bool only_by_name = false;
};

/// One for each of kSourceRows, in their order.
std::span<const SourceOpener> source_openers();

struct OpenedSource {
  std::unique_ptr<EventSource> source;  ///< null: no source can be opened without a target
  std::string missing;                  ///< why a better source cannot be used; empty: there is none
};

/// Opens the source `name`. `auto` opens the first source that opens and gives this user all that its row has. A source
/// that sees only targets is skipped without `targets`, one that controls none is skipped with them, and one that traces
/// only some providers' probes is skipped unless all that will be traced are theirs.
/// Errors: those of the named source; for `auto`, those of the last one.
Result<OpenedSource> open_source(std::string_view name, bool targets, const SourceOptions& options,
                                 std::span<const SourceOpener> openers = source_openers());

/// The error that a source of that name has no targets().
Error no_control(std::string_view name);

}  // namespace sonde
