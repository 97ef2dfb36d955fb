// SPDX-License-Identifier: GPL-3.0-or-later
// The objects of a process, as descriptions name them
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sonde::pid {

struct Object {
  std::string path;         ///< by which the file can be opened (sonde_mapping::file); "[vdso]"
  std::string name;         ///< base name: the module of its probes
  bool executable = false;  ///< the program itself: also a.out
  bool compiled = false;    ///< no file, but what the program's runtime has compiled (run_time_code.h)
};

/// The ELF files that `pid` has mapped as code, each once, in order of address, and the vdso. Empty when it cannot be read.
std::vector<Object> objects_of(uint32_t pid);

/// Those that a module field names: by base name or a glob on it; `a.out`, the program; empty, all; and a name
/// without its ending, `libc` or `libc.so` for libc.so.6, when none has exactly that name. Compiled code has to be asked for: neither an
/// empty field nor stars alone name it.
std::vector<const Object*> select_objects(const std::vector<Object>& objects, std::string_view module);

}  // namespace sonde::pid
