// SPDX-License-Identifier: GPL-3.0-or-later
// A text of provider declarations, as programs that have probes bring it along for `dtrace -h` and `-G`
//
// Such texts are written for other readers too, which know no types. So a word that can only be a type is one, and the ;
// behind the last } may be missing. What is said beside the declarations is parsed and ignored.
#pragma once

#include <string>

#include "compiler/parse/parser.h"

namespace sonde {

/// The syntax tree of a whole text, not prepared. Ranges are in it. It warns of lines that are for cpp.
SyntaxTree parse_provider_file(const std::string& text, Diagnostics& diagnostics);

}  // namespace sonde
