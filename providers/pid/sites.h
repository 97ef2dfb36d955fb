// SPDX-License-Identifier: GPL-3.0-or-later
// From a description to places in files
//
//   pid42:libc:m*:entry --> objects (libc.so.6) --> functions (malloc, memchr ...) --> sites (path, offset, entry)
//
// A glob takes one name of each address, the best that matches, so that a call is counted once; a function
// named exactly is found by any of its names. Static functions that share a name share a probe, with a site each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "providers/pid/indirect.h"
#include "providers/pid/objects.h"
#include "runtime/base/result.h"
#include "runtime/framework/provider.h"
#include "runtime/process/elf_file.h"

namespace sonde::pid {

/// Where a probe is, and what it is called.
struct Site {
  sonde_tap_kind kind;
  std::string module, function, name;
  std::string path;
  uint64_t offset;  ///< in the file
  uint64_t entry;   ///< of the function
};

/// Why a description that names a process has no sites.
struct Refusal {
  std::string tag, message;  ///< no tag: nothing wrong, only nothing there
};

inline constexpr size_t kMaxOffsetSites = 100'000;

struct Found {
  std::vector<Site> sites;
  Refusal refusal;
};

/// What module, function and name of `spec` name among `objects`.
Found find_sites(const dtrace_probedesc_t& spec, const std::vector<Object>& objects, IndirectFunctions& indirect,
                 ElfCache& cache);

}  // namespace sonde::pid
