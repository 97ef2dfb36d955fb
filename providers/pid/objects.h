// SPDX-License-Identifier: GPL-3.0-or-later
// The objects of a process, by the names that descriptions use
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/process/proc_maps.h"

namespace sonde::pid {

struct Object {
  std::string path;         ///< a path that opens the file (sonde_mapping::file); "[vdso]"
  std::string name;         ///< base name: the module of its probes
  bool executable = false;  ///< the program itself, also called a.out
  bool compiled = false;    ///< not a file: what the program's runtime has compiled (run_time_code.h)
  FileId id = {};           ///< which file: after an upgrade two have the same path; none: not a file
};

/// By number, where there is one: a path may lead to another file later.
inline bool is_same_file(const Object& a, const Object& b) {
  return a.id.inode != 0 && b.id.inode != 0 ? a.id == b.id : a.path == b.path;
}

/// The ELF files that `pid` has mapped as code, each once, by address, and the vdso. Empty if they cannot be read: `why`
/// has the reason.
std::vector<Object> objects_of(uint32_t pid, std::string& why);

/// The objects that a module field selects: by base name or a glob on it; `a.out`, the program; empty, all; and a name
/// without its ending, `libc` or `libc.so` for libc.so.6, if no object has exactly that name. An empty field, or one of
/// only stars, does not select compiled code.
std::vector<const Object*> select_objects(const std::vector<Object>& objects, std::string_view module);

}  // namespace sonde::pid
