// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace sonde {

/// struct termios of the kernel, as strace shows it; with all members, or without line discipline and characters. Empty:
/// `bytes` are too few.
std::string format_terminal_settings(std::string_view bytes, bool whole);

}  // namespace sonde
