// SPDX-License-Identifier: GPL-3.0-or-later
// The printers that -x format= chooses from: one row each.
//
// The row X(name, doc) belongs to runtime/print/NAME_printer.cpp, which defines make_NAME_printer(). Plain data in the
// lowest layer, so that the options can list the choices.
#pragma once

#include <string_view>

#define SONDE_PRINTERS(X)                                                          \
  X(text, "as DTrace prints")                                                      \
  X(jsonl, "a JSON object a line: docs/output.md")                                 \
  X(json, "the same as jsonl")                                                     \
  X(csv, "one table: a row for each element of an aggregation and each action")    \
  X(folded, "counted stacks, a line each, as flamegraph.pl and inferno read them") \
  X(svg, "a flame graph of these, for a browser")                                  \
  X(chrome, "a timeline of each thread, for Perfetto and chrome://tracing")

namespace sonde {

struct PrinterRow {
  std::string_view name, doc;
};

inline constexpr PrinterRow kPrinterRows[] = {
#define SONDE_ROW(name, doc) {#name, doc},
    SONDE_PRINTERS(SONDE_ROW)
#undef SONDE_ROW
};

/// Whether all output of a run is one document: a file has no room for a second one.
constexpr bool is_document(std::string_view format) { return format == "svg" || format == "chrome"; }

/// Whether it shows both ends of a call, each as it happens.
constexpr bool is_timeline(std::string_view format) { return format == "chrome"; }

}  // namespace sonde
