// SPDX-License-Identifier: GPL-3.0-or-later
// What bash, zsh and fish complete on our command line, made from kCommandLine
#pragma once

#include <string>
#include <string_view>

namespace sonde {

/// The text for one of bash, zsh and fish, to be sourced; empty: another word.
std::string completion(std::string_view shell);
/// "bash, zsh or fish"
std::string_view completed_shells();

}  // namespace sonde
