// SPDX-License-Identifier: GPL-3.0-or-later
// A place in a file's code that no thread gets to
//
// The code of a file rarely ends with a page, and the linker fills the rest of the last one with zeros. They are mapped
// as code, and as an instruction they are a lawful one; so the kernel takes a probe there, which never fires. A counter
// that goes with such a probe is raised by itself.
#pragma once

#include <cstdint>
#include <string>

namespace sonde {

/// Its offset in the file; 0: there is none, or the file cannot be read.
uint64_t unused_code(const std::string& path);

}  // namespace sonde
