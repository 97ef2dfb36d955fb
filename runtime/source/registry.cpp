// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/source/registry.h"

#include <array>

namespace sonde {
namespace {

using OpenSource = Result<std::unique_ptr<EventSource>> (*)(const SourceOptions& options);

/// For each row.
constexpr std::array<OpenSource, kSourceRows.size()> kOpeners = {open_kmod_source, open_ptrace_source};

}  // namespace

Result<OpenedSource> open_source(std::string_view name, bool targets, const SourceOptions& options) {
  const bool any = name == kAutoSource;
  OpenedSource opened;
  for (size_t i = 0; i < kSourceRows.size(); i++) {
    const SourceRow& row = kSourceRows[i];
    const bool needs_targets = row.can.scope == SourceScope::Targets;
    if (!any && row.name != name) continue;
    if (needs_targets && !targets) continue;
    SourceOptions wanted = options;
    wanted.whole = any;
    auto source = kOpeners[i](wanted);
    if (source) {
      opened.source = std::move(*source);
      return opened;
    }
    if (!any || needs_targets) return std::move(source).error();
    opened.missing = source.error().message();
  }
  return opened;
}

}  // namespace sonde
