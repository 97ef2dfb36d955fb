// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace sonde {

/// Shows a text on standard output, by $PAGER (less -FRX, if it is not set) where that is a terminal and the text is
/// longer than its screen. Returns once the reader has quit. False: it was not shown, because there is no need for a
/// pager, or none could be run; the caller prints it.
bool page(std::string_view text);

}  // namespace sonde
