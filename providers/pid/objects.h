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
  std::string name;         ///< base name
  bool executable = false;  ///< the program itself, also called a.out
  bool compiled = false;    ///< not a file: what the program's runtime has compiled (run_time_code.h)
  FileId id = {};           ///< which file: after an upgrade two have the same path; none: not a file
  std::string mapped = {};  ///< the path that the process has for it
  std::string module = {};  ///< of its probes, as the description names modules: by `name`, or by `mapped`
};

/// By number, where there is one: a path may lead to another file later.
inline bool is_same_file(const Object& a, const Object& b) {
  return a.id.inode != 0 && b.id.inode != 0 ? a.id == b.id : a.path == b.path;
}

/// The ELF files that `pid` has mapped as code, each once, by address, and the vdso; 0: that all traced processes have.
/// Empty if they cannot be read: `why` has the reason.
std::vector<Object> objects_of(uint32_t pid, std::string& why);

/// The objects that a module field selects: by base name or a glob on it; `a.out`, the program; empty, all; and a name
/// without its ending, `libc` or `libc.so` for libc.so.6, if no object has exactly that name. An empty field, or one of
/// only stars, does not select compiled code.
/// A field with a slash is a path, or a glob on it: it selects the file that it leads to here, by device and inode, and
/// what processes have mapped under that path, which is another file in a container.
std::vector<const Object*> select_objects(const std::vector<Object>& objects, std::string_view module);

/// A library that cannot be read, or a process, would be missed without a word if others match: `error`, an errno, says
/// whether it is for want of a descriptor.
void tell_if_descriptors_lack(int error);

/// Adds the file that a path without wildcards leads to, if no process that is known has mapped it.
void add_file_at(std::vector<Object>& objects, const std::string& module);

inline bool is_path(std::string_view module) { return module.find('/') != module.npos; }

/// Why nothing can have mapped what a path without wildcards leads to; empty: there is such an ELF file.
std::string why_no_object(const std::string& path);

}  // namespace sonde::pid
