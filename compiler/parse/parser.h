// SPDX-License-Identifier: GPL-3.0-or-later
// Text to syntax tree. ANTLR is used only in this folder; its exceptions and messages do not leave it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ast/declarations.h"
#include "compiler/source/diagnostic.h"

namespace sonde {

/// Callbacks for what the parser needs to know.
struct ParserQuestions {
  /// Is that identifier the name of a type (other than by a typedef in the text itself)?
  std::function<bool(std::string_view)> is_type;
  /// The value of a macro variable, named without its $: "1", "target". None: it is not defined.
  std::function<std::optional<std::string>(std::string_view)> macro;
};

/// `text` is the result of prepare(). Errors are reported, with ranges in the text; the tree has what was before the
/// error.
/// `script`: a description must be followed by a predicate or a body, and `int*` begins a declaration.
SyntaxTree parse(const std::string& text, bool script, const ParserQuestions& questions, Diagnostics& diagnostics);

/// D`name is the program's own name; other modules keep theirs.
std::string_view own_type_name(std::string_view name);

/// The text of a description with $1, $$1, $target replaced; \$ is none of them. None: a macro variable is not defined.
std::optional<std::string> expand_description(std::string_view text,
                                              const std::function<std::optional<std::string>(std::string_view)>& macro);

/// "a:b:c:d" with fields filled from the right. If there are more than four, the first, the second and the last are
/// fields, and the rest is a function's qualified name, ns::Class::method. None: it is not such a name. `\:` is not a
/// separator.
std::optional<ProbeDescription> read_description(std::string_view text);

/// What a DESCRIPTION token means. None: it is wrong, which is reported.
std::optional<ProbeDescription> description_of(const std::string& written, SourceRange where,
                                               const ParserQuestions& questions, Diagnostics& diagnostics);

/// Those of all clauses of a text, for which it is not parsed: what is wrong with it behind them is not reported.
std::vector<ProbeDescription> all_descriptions(const std::string& text, bool script, const ParserQuestions& questions,
                                               Diagnostics& diagnostics);

}  // namespace sonde
