// SPDX-License-Identifier: GPL-3.0-or-later
// Compile errors as a person at a terminal and an editor read them
//
//   -x diagnostics=dtrace   sonde: failed to compile script t.d: line 3: ...   compiler/source/render.cpp
//                 =place    t.d:3:9: error: ...
//                 =json     {"file":"t.d","line":3,"column":9,...}
//                 =auto     place where standard error is a terminal, otherwise dtrace
//
// Scripts and tests of DTrace read what goes into a pipe, so that stays DTrace's text.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "compiler/source/diagnostic.h"
#include "runtime/base/look.h"
#include "runtime/lang/options.h"

namespace sonde {

class FileOutput;

enum class DiagnosticForm : uint8_t { DTrace, Place, Json };

/// What -x diagnostics asks for. `look`: of standard error.
DiagnosticForm diagnostic_form(const Options& options, const Look& look);

/// The diagnostics in the form Place or Json, with their newlines. `texts`: all that were compiled together; a text of
/// -n is named by the number of its clause, which counts from `clauses_before` + 1.
std::string show_diagnostics(std::span<const Reported> reported, std::span<const SourceText> texts,
                             size_t clauses_before, DiagnosticForm form, const Look& look);

/// Shows what is doubtful in the texts, as show_diagnostics() does; where errors are DTrace's, as messages.
void show_warnings(FileOutput& output, std::span<const Reported> warnings, std::span<const SourceText> texts,
                   size_t clauses_before, DiagnosticForm form, const Look& look);

/// A message that has no place in a text, as a line of JSON; indented lines of it are its hint. `severity`: error, note.
std::string message_as_json(std::string_view message, std::string_view severity);

}  // namespace sonde
