// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "runtime/framework/framework.h"

namespace sonde {

/// Whether a further line can complete the text: it is inside of brackets or of a declaration, or the description of a
/// probe that exists or may come. Any other word is answered at once.
bool waits_for_more(const std::string& text, Framework& framework);

/// Whether the text is a description that a body may follow on the next line.
bool needs_body(const std::string& text);

/// Whether it holds nothing: blank, or a comment of a shell.
bool is_blank(const std::string& line);

}  // namespace sonde
