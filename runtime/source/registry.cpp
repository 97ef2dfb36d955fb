// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/source/registry.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "runtime/base/numbered_name.h"
#include "runtime/base/unique_fd.h"

namespace sonde {
namespace {

constexpr std::string_view kBpfProviders[] = {"cpc",     "fbt",     "io",    "ip",    "lockstat", "pid*",
                                              "proc",    "profile", "rawtp", "sched", "sdt",      "signal",
                                              "syscall", "sysinfo", "tcp",   "udp",   "vminfo"};

/// Those whose probes fire in the kernel, whoever runs there: a target changes nothing about them.
constexpr std::string_view kKernelProviders[] = {"cpc",   "fbt", "io",      "ip",  "lockstat", "rawtp",
                                                 "sched", "sdt", "sysinfo", "tcp", "udp",      "vminfo"};

constexpr SourceOpener kOpeners[] = {
    {kKmodRow, open_kmod_source}, {kBpfRow, open_bpf_source, kBpfProviders, true}, {kPtraceRow, open_ptrace_source}};
static_assert(std::ranges::equal(
    kOpeners, kSourceRows, {}, [](const SourceOpener& opener) { return opener.row.name; }, &SourceRow::name));

/// Whether all probes that will be traced are of providers that the source has.
bool traces_all(const SourceOpener& opener, const SourceOptions& options) {
  if (opener.providers.empty()) return true;
  // python* and python42 are providers of programs: taps in their files. pid42 wants a target.
  const auto of_program = [](const std::string& one) {
    return one.ends_with('*') || (!one.starts_with("pid") && !number_at_end(one).empty());
  };
  const auto has = [&](const std::string& one) {
    return std::ranges::count(opener.providers, one) != 0 || of_program(one);
  };
  return !options.providers.empty() && std::ranges::all_of(options.providers, has);
}

/// Whether probes of the kernel are wanted, and besides them at most functions of targets.
bool traces_kernel(const SourceOptions& options) {
  const auto of_kernel = [](const std::string& one) { return std::ranges::count(kKernelProviders, one) != 0; };
  return std::ranges::any_of(options.providers, of_kernel) &&
         std::ranges::all_of(options.providers,
                             [&](const std::string& one) { return of_kernel(one) || one == "pid*"; });
}

}  // namespace

void SourceOptions::apply() const {
  if (own_group) setpgid(0, 0);
  if (!null_input) return;
  const UniqueFd null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (null) dup2(null.get(), STDIN_FILENO);
}

std::span<const SourceOpener> source_openers() { return kOpeners; }

Error no_control(std::string_view name) {
  return Error("the " + std::string(name) + " source traces the whole machine only: -c and -p need the " +
                   sources_with([](const SourceCapabilities& can) { return can.controls; }) + " source",
               EOPNOTSUPP);
}

Result<OpenedSource> open_source(std::string_view name, bool targets, const SourceOptions& options,
                                 std::span<const SourceOpener> openers) {
  const bool any = name == kAutoSource;
  OpenedSource opened;
  for (const SourceOpener& opener : openers) {
    const SourceRow& row = opener.row;
    const bool needs_targets = row.can.scope == SourceScope::Targets;
    if (!any && row.name != name) continue;
    if (needs_targets && !targets) continue;
    if (any && (!traces_all(opener, options) || (targets && opener.only_by_name && !traces_kernel(options)))) continue;
    if (targets && !row.can.controls) {
      if (any) continue;
      return no_control(name);
    }
    SourceOptions wanted = options;
    wanted.whole = any;
    auto source = opener.open(wanted);
    if (source) {
      opened.source = std::move(*source);
      return opened;
    }
    if (!any || needs_targets) return std::move(source).error();
    opened.missing += (opened.missing.empty() ? "" : "; ") + source.error().message();
  }
  return opened;
}

}  // namespace sonde
