// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"

namespace sonde {

/// Splits a command into words like a shell: blanks, 'single' and "double" quotes, backslash. No expansion.
/// Errors: a quote that is not closed; no word at all.
Result<std::vector<std::string>> split_words(std::string_view command);

/// For a word that is an option without its dashes; empty: it is none.
std::string hint_without_dashes(std::string_view word);
/// For a program that is not there; empty: there is no hint.
std::string hint_on_missing_program(std::string_view word);

}  // namespace sonde
