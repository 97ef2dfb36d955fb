// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace sonde {

/// Whether the kernel lets this process trace a child: the errno of PTRACE_SEIZE, or of fork(); 0: it does. The child is
/// gone when it returns.
int try_to_trace();

}  // namespace sonde
