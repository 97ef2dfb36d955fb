// SPDX-License-Identifier: GPL-3.0-or-later
// What the names of providers and probes may contain
//
//   provider           [A-Za-z_][A-Za-z0-9_.-]*, at most 63 bytes
//   name               [A-Za-z0-9_.-]+, at most 63 bytes
//   module, function   any text without control characters; both or none. A module has at most 255 bytes.
//
// So a description can name every probe, and no list of probes changes the terminal it is shown on. Modules and
// functions are names of files and of C++ or Rust, so they may have signs that only a glob can name.
#pragma once

#include <string>

namespace sonde {

/// What is wrong with it, in words; empty: nothing. None of the pointers below needs to be valid: null is wrong, or none.
std::string fault_of_provider_name(const char* name);
/// The only provider with a star in its name: sonde's own, whose probes are of all processes.
inline bool is_of_all_processes(std::string_view provider) { return provider.ends_with('*'); }
std::string fault_of_names(const char* module, const char* function, const char* name);

}  // namespace sonde
