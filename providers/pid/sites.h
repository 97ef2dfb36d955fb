// SPDX-License-Identifier: GPL-3.0-or-later
// From a description to places in files
//
//   pid42:libc:m*:entry --> objects (libc.so.6) --> functions (malloc, memchr ...) --> sites (path, offset, entry)
//
// A glob selects one name for each address, the best that matches, so that a call is counted once; a function that is
// named exactly is found by any of its names. Static functions with the same name share a probe, with one site each.
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

/// The name of a probe, and its place.
struct Site {
  sonde_tap_kind kind;
  const Object* object;
  const ElfFunction* function;  ///< null: an absolute address
  std::string name;
  uint64_t entry;                 ///< in the file, of the function
  std::vector<CodePlace> places;  ///< for an entry: the entry itself, then the jumps to it that are not entries
  std::string refused;            ///< why it cannot be armed; then it has no places
  bool quietly = false;           ///< not worth a report
  Text text;                      ///< of compiled code
};

/// Why a description that names a process has no sites.
struct Refusal {
  std::string tag, message;  ///< without a tag: no error, there is just nothing
};

inline constexpr size_t kMaxOffsetSites = 1'000'000;

struct Found {
  std::vector<Site> sites;
  size_t known = 0;  ///< sites that were found before, and are not repeated here
  Refusal refusal;
  std::string near;  ///< of a function that no object has: a line that suggests another, or nothing
};

/// Whether a probe of that name already has its site in `function`, which then need not be found again.
using IsKnown = std::function<bool(const Object& object, const ElfFunction& function, const char* name)>;

/// The sites that module, function and name of `spec` select in `objects`; the sites point to these. `compiled`: the
/// code of the object that is compiled at run time.
Found find_sites(const dtrace_probedesc_t& spec, const std::vector<Object>& objects, IndirectFunctions& indirect,
                 RunTimeCode& compiled, Files& files, const IsKnown& is_known);

}  // namespace sonde::pid
