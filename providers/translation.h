// SPDX-License-Identifier: GPL-3.0-or-later
// For providers of programs that bring no probes along: plockstat, tcl, mysql
//
//   a probe --> the entry or the returns of a function, a condition in D, arguments in D
//
//   mysql42:::    the traced process 42, and those that it forks
//   mysql*:::     every traced process that has such a file mapped, now or later
//
// A row is a probe. What a return must know of its call, a clause on pid's probe at the entry remembers, which the compiler
// puts before the script's. No source knows any of this.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace sonde::translation {

struct Argument {
  std::string_view value;  ///< D; empty: there is no such argument
  std::string_view type, name;
};

enum class At : uint8_t {
  Entry,
  Return,
  Jump,      ///< the function ends with a jump to another one, whose parameters arg0 and on are
  Callback,  ///< the entry of the function whose address the row's function takes: it may have no name
};

/// In its texts, %P, %M and %F are the provider, the module and the function of pid's probes, and %N is a number of the
/// function. %[getter expression] is what the getter, a function of the file, computes from the expression: the file says
/// where its structures have their fields.
struct Row {
  std::string_view function;  ///< as the symbol has it
  std::string_view probe;
  At at;
  std::string_view before;  ///< clauses
  std::string_view when;
  std::array<Argument, 6> arguments;
};

/// A probe, by a wildcard on its name, that cannot be had.
struct Absent {
  std::string_view name, why;
};

struct Provider {
  const char* name;
  std::span<const Row> rows;
  std::span<const Absent> absent;
  std::span<const std::string_view> files;      ///< wildcards on the names of files that have the functions
  std::span<const std::string_view> functions;  ///< what such a file has, or it is none
  /// A program that has this function and the first of `functions` has the library in it; empty: none has.
  std::string_view inside;
  /// What `NAME*` takes though nobody runs it: paths, and names in the folders of libraries.
  std::span<const std::string_view> installed;
  std::string_view nothing;  ///< why a process without such a file has no probes: "has no glibc mapped"
};

/// `provider` must live as long as it is registered. 0 or an errno.
int register_translation(const Provider& provider);
void unregister_translation(const Provider& provider);

}  // namespace sonde::translation
