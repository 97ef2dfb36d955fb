// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/source/registry.h"

namespace sonde {

Result<OpenedSource> open_source(std::string_view name, bool targets, const SourceOptions& options) {
  const bool any = name == kAutoSource;
  OpenedSource opened;
  for (const SourceRow& row : kSources) {
    if (!any && row.name != name) continue;
    if (row.needs_targets && !targets) continue;
    SourceOptions wanted = options;
    wanted.whole = any;
    auto source = row.open(wanted);
    if (source) {
      opened.source = std::move(*source);
      return opened;
    }
    if (!any || row.needs_targets) return std::move(source).error();
    opened.missing = source.error().message();
  }
  return opened;
}

}  // namespace sonde
