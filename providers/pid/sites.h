// SPDX-License-Identifier: GPL-3.0-or-later
// From a description to places in files
//
//   pid42:libc:m*:entry --> objects (libc.so.6) --> functions (malloc, memchr ...) --> sites (path, offset, entry)
//
// A glob takes one name of each address, the best that matches, so that a call is counted once; a function
// named exactly is found by any of its names. Static functions that share a name share a probe, with a site each.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "providers/pid/files.h"
#include "providers/pid/indirect.h"
#include "providers/pid/objects.h"
#include "providers/pid/run_time_code.h"
#include "runtime/base/result.h"
#include "runtime/framework/provider.h"
#include "runtime/process/elf_file.h"

namespace sonde::pid {

/// What a probe is called, and where it is.
struct Site {
  sonde_tap_kind kind;
  const Object* object;
  const ElfFunction* function;  ///< null: an absolute address
  std::string name;
  uint64_t entry;                 ///< in the file, of the function
  std::vector<CodePlace> places;  ///< an entry's first place is the entry; the jumps that are no entry follow
  std::string refused;            ///< why it cannot be armed; it has no places then
  bool quietly = false;           ///< it is not missed
  Text text;                      ///< of compiled code
};

/// Why a description that names a process has no sites.
struct Refusal {
  std::string tag, message;  ///< no tag: nothing wrong, only nothing there
};

inline constexpr size_t kMaxOffsetSites = 1'000'000;

struct Found {
  std::vector<Site> sites;
  size_t known = 0;  ///< sites that were found before, and are not among these
  Refusal refusal;
};

/// Whether there is a probe of that name already that has its site in `function`: what made it is not found out again.
using IsKnown = std::function<bool(const Object& object, const ElfFunction& function, const char* name)>;

/// What module, function and name of `spec` name among `objects`, which the sites point to.
/// `compiled`: of the object that is so.
Found find_sites(const dtrace_probedesc_t& spec, const std::vector<Object>& objects, IndirectFunctions& indirect,
                 RunTimeCode& compiled, Files& files, const IsKnown& is_known);

}  // namespace sonde::pid
