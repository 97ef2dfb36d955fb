// SPDX-License-Identifier: GPL-3.0-or-later
// An ELF file with its debug information, which may be in a file of its own
#pragma once

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <memory>
#include <string>

#include "runtime/base/result.h"

namespace sonde {

struct DwflEnd {
  void operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }
};

struct DebugFile {
  std::unique_ptr<Dwfl, DwflEnd> dwfl;
  Dwfl_Module* module = nullptr;  ///< owned by `dwfl`, as the next
  Dwarf* dwarf = nullptr;
};

/// Errors: ENODATA, there is no debug information; ENOMEM; those of access(2).
Result<DebugFile> open_debug_file(const std::string& path);

}  // namespace sonde
