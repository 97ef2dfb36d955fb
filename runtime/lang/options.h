// SPDX-License-Identifier: GPL-3.0-or-later
// The options of -x, #pragma D option and setopt(): one row each.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "runtime/base/result.h"

namespace sonde {

enum class OptionKind : uint8_t {
  Flag,   ///< no value, or yes/no, true/false, on/off, enable(d)/disable(d), set/unset
  Size,   ///< bytes, with k m g t; at least 1
  Count,  ///< a number, 0 or more
  Rate,   ///< period in ns: with ns us ms s m h d and long forms, or hz; a bare number is hertz
  Text,
};

/// When an option may be set.
enum class OptionPhase : uint8_t {
  Compile,      ///< before a program is compiled: -x only, or where a pragma is met
  CommandLine,  ///< only by -x ("Option cannot be used from within a D program")
  Start,        ///< until tracing starts
  Always,       ///< at any time: setopt()
};

struct OptionRow {
  std::string_view name;
  OptionKind kind;
  OptionPhase phase;
  std::string_view initial;
  std::string_view doc;
};

inline constexpr std::array kOptions = std::to_array<OptionRow>({
    {"aggrate", OptionKind::Rate, OptionPhase::Always, "1s", "how often aggregations are read"},
    {"aggsize", OptionKind::Size, OptionPhase::Start, "64m", "memory for aggregations"},
    {"aggsortkey", OptionKind::Flag, OptionPhase::Always, "0", "sort by keys, not by value"},
    {"aggsortkeypos", OptionKind::Count, OptionPhase::Always, "0", "which key sorts first"},
    {"aggsortpos", OptionKind::Count, OptionPhase::Always, "0", "which aggregation of a printa sorts"},
    {"aggsortrev", OptionKind::Flag, OptionPhase::Always, "0", "sort the other way round"},
    {"argref", OptionKind::Flag, OptionPhase::Compile, "0", "macro arguments that no program names are no error"},
    {"bufpolicy", OptionKind::Text, OptionPhase::Start, "switch", "switch (others are not there yet)"},
    {"bufresize", OptionKind::Text, OptionPhase::Start, "auto", "auto or manual"},
    {"bufsize", OptionKind::Size, OptionPhase::Start, "4m", "size of each principal buffer"},
    {"cleanrate", OptionKind::Rate, OptionPhase::Start, "101hz", "accepted; nothing has to be cleaned"},
    {"defaultargs", OptionKind::Flag, OptionPhase::Compile, "0", "missing macro arguments are 0 or \"\""},
    {"destructive", OptionKind::Flag, OptionPhase::Start, "0", "allow destructive actions"},
    {"droptags", OptionKind::Flag, OptionPhase::Always, "0", "print the tags of drops"},
    {"dynvarsize", OptionKind::Size, OptionPhase::Start, "16m", "memory for associative and thread-local variables"},
    {"errtags", OptionKind::Flag, OptionPhase::Compile, "0", "print the tags of compile errors"},
    {"evaltime", OptionKind::Text, OptionPhase::CommandLine, "",
     "exec or postinit (dynamic linker done): where a -c program waits for the probes"},
    {"flowindent", OptionKind::Flag, OptionPhase::Always, "0", "indent entry and return"},
    {"quiet", OptionKind::Flag, OptionPhase::Always, "0", "print only what the script prints"},
    {"rawbytes", OptionKind::Flag, OptionPhase::Always, "0", "print arrays as bytes"},
    {"source", OptionKind::Text, OptionPhase::CommandLine, "auto",
     "event source: kmod, ptrace, or auto: the first of them that works"},
    {"stackindent", OptionKind::Count, OptionPhase::Always, "14", "indentation of stack frames"},
    {"statusrate", OptionKind::Rate, OptionPhase::Start, "1s", "how often drops are reported"},
    {"strsize", OptionKind::Size, OptionPhase::Start, "256", "longest string, bytes"},
    {"switchrate", OptionKind::Rate, OptionPhase::Always, "10hz", "how often buffers are read"},
    {"syscall_arg_type", OptionKind::Flag, OptionPhase::Always, "0", "argstr shows types"},
    {"ustackframes", OptionKind::Count, OptionPhase::Start, "100", "frames of ustack()"},
    {"verbose", OptionKind::Flag, OptionPhase::Compile, "0", "as -v"},
    {"version", OptionKind::Text, OptionPhase::Compile, "", "language version that the script wants"},
    {"zdefs", OptionKind::Flag, OptionPhase::Compile, "0", "descriptions may match nothing"},
});
static_assert(std::ranges::is_sorted(kOptions, {}, &OptionRow::name));

/// The values of all options of one run.
class Options {
 public:
  Options();

  /// Sets an option. `phase` is when it is set (Compile for -x before compiling with from_pragma false, Always for setopt).
  /// Errors, in DTrace's words: "Invalid option name", "Invalid value for specified option",
  /// "Option cannot be used from within a D program", "Operation illegal when tracing is active".
  Result<void> set(std::string_view name, std::string_view value, bool from_program, bool tracing);

  bool flag(std::string_view name) const;        ///< Flag
  uint64_t number(std::string_view name) const;  ///< Size, Count; Rate as ns
  const std::string& text(std::string_view name) const;
  bool was_set(std::string_view name) const;

 private:
  struct Value {
    std::string text;
    uint64_t number = 0;
    bool set = false;
  };
  std::map<std::string, Value, std::less<>> values_;
};

}  // namespace sonde
