// SPDX-License-Identifier: GPL-3.0-or-later
// The options of -x, #pragma D option and setopt(): one row each.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/source/capabilities.h"

namespace sonde {

enum class OptionKind : uint8_t {
  Flag,      ///< no value, or yes/no, true/false, on/off, enable(d)/disable(d), set/unset
  Size,      ///< bytes, with k m g t; at least 1
  Room,      ///< the same, or 0
  Count,     ///< a number, 0 or more
  Duration,  ///< ns: with the same units; a bare number is seconds
  Rate,      ///< period in ns: with ns us ms s m h d and long forms, or hz; a bare number is hertz
  Text,
  List,  ///< text; each setting adds one
};

/// When an option may be set.
enum class OptionPhase : uint8_t {
  Compile,      ///< before a program is compiled: by -x, or where a pragma is met
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

/// "event source: a, b, or auto: the first of them that works"
constexpr std::string source_doc() {
  std::string text = "event source: ";
  for (const SourceRow& row : kSourceRows) text.append(row.name).append(", ");
  return text + "or auto: the first of them that works";
}
inline constexpr auto kSourceDoc = [] {
  std::array<char, source_doc().size()> text{};
  std::ranges::copy(source_doc(), text.begin());
  return text;
}();

inline constexpr std::array kOptions = std::to_array<OptionRow>({
    {"aggpercpu", OptionKind::Flag, OptionPhase::Start, "0", "aggregations also show what each CPU gave"},
    {"aggrate", OptionKind::Rate, OptionPhase::Always, "1s",
     "how old what printa() shows may be; where it is not set, nothing is"},
    {"aggsize", OptionKind::Size, OptionPhase::Start, "64m", "memory for aggregations"},
    {"aggsortkey", OptionKind::Flag, OptionPhase::Always, "0", "sort by keys, not by value"},
    {"aggsortkeypos", OptionKind::Count, OptionPhase::Always, "0", "which key sorts first"},
    {"aggsortpos", OptionKind::Count, OptionPhase::Always, "0", "which aggregation of a printa sorts"},
    {"aggsortrev", OptionKind::Flag, OptionPhase::Always, "0", "sort the other way round"},
    {"amin", OptionKind::Text, OptionPhase::CommandLine, "", "least stability (a/b/c) of what a script may name"},
    {"argref", OptionKind::Flag, OptionPhase::Compile, "0", "macro arguments that no program names are no error"},
    {"argstr", OptionKind::Text, OptionPhase::Compile, "full",
     "how argstr and retstr show a system call: full, plain (descriptors as bare numbers), or classic (numbers in hex, "
     "by name)"},
    {"bufpolicy", OptionKind::Text, OptionPhase::Start, "switch",
     "what a full buffer does: switch (drops until it is read), fill (drops from then on), ring (keeps the newest)"},
    {"bufresize", OptionKind::Text, OptionPhase::Start, "auto",
     "auto: a buffer that memory cannot be had for is halved until it can; manual: that is an error"},
    {"bufsize", OptionKind::Size, OptionPhase::Start, "4m", "size of each principal buffer"},
    {"children", OptionKind::Flag, OptionPhase::CommandLine, "0",
     "-p takes the children, too, that the process has already, and theirs"},
    {"cleanrate", OptionKind::Rate, OptionPhase::Start, "101hz",
     "how soon a speculation that several threads used is free again"},
    {"core", OptionKind::Flag, OptionPhase::CommandLine, "0", "accepted: names are never taken from a core file"},
    {"cpp", OptionKind::Flag, OptionPhase::CommandLine, "0", "as -C"},
    {"cppargs", OptionKind::Text, OptionPhase::CommandLine, "", "more words for the preprocessor"},
    {"cpphdrs", OptionKind::Flag, OptionPhase::CommandLine, "0", "as -H"},
    {"cpppath", OptionKind::Text, OptionPhase::CommandLine, "cpp", "the preprocessor"},
    {"cpu", OptionKind::Count, OptionPhase::Start, "", "only what happens on this CPU"},
    {"defaultargs", OptionKind::Flag, OptionPhase::Compile, "0", "missing macro arguments are 0 or \"\""},
    {"define", OptionKind::List, OptionPhase::CommandLine, "", "as -D"},
    {"demangle", OptionKind::Flag, OptionPhase::CommandLine, "1",
     "functions of C++, Rust and D are shown as in the source; no: as the linker has them"},
    {"destructive", OptionKind::Flag, OptionPhase::Start, "0", "allow destructive actions"},
    {"droptags", OptionKind::Flag, OptionPhase::Always, "0", "print the tags of drops"},
    {"duration", OptionKind::Duration, OptionPhase::CommandLine, "", "the run ends by itself after that time"},
    {"dynvarsize", OptionKind::Size, OptionPhase::Start, "16m", "memory for associative and thread-local variables"},
    {"empty", OptionKind::Flag, OptionPhase::Compile, "0", "a program may be empty"},
    {"eofexit", OptionKind::Flag, OptionPhase::CommandLine, "0",
     "the run ends when standard input, a pipe or a socket, is at its end"},
    {"errtags", OptionKind::Flag, OptionPhase::Compile, "0", "print the tags of compile errors"},
    {"evaltime", OptionKind::Text, OptionPhase::Compile, "",
     "where a -c program waits for the probes: exec, preinit, postinit (dynamic linker done) or main"},
    {"flowindent", OptionKind::Flag, OptionPhase::Always, "0", "indent entry and return"},
    {"followforks", OptionKind::Flag, OptionPhase::CommandLine, "1",
     "pid probes of a process also fire in those that it forks, until they execute another program"},
    {"format", OptionKind::Text, OptionPhase::CommandLine, "text",
     "how output is printed: text, as DTrace does, or jsonl and others, for programs"},
    {"host", OptionKind::Text, OptionPhase::CommandLine, "", "the name that output for programs gives this host"},
    {"ilp32", OptionKind::Flag, OptionPhase::CommandLine, "0", "as -32: long and pointers in memory have 4 bytes"},
    {"incdir", OptionKind::List, OptionPhase::CommandLine, "", "as -I"},
    {"interval", OptionKind::Duration, OptionPhase::CommandLine, "",
     "aggregations are printed at each multiple of that time, 100 ms at least"},
    {"jstackframes", OptionKind::Count, OptionPhase::Start, "50", "frames of jstack()"},
    {"jstackstrsize", OptionKind::Count, OptionPhase::Start, "512", "bytes of names of jstack()"},
    {"kdefs", OptionKind::Flag, OptionPhase::Compile, "1", "kernel symbols must be known"},
    {"knodefs", OptionKind::Flag, OptionPhase::Compile, "0", "unknown kernel symbols are no error"},
    {"labels", OptionKind::Text, OptionPhase::CommandLine, "",
     "what output for programs says of the run: k=v, one or more, with commas"},
    {"late", OptionKind::Text, OptionPhase::CommandLine, "dynamic",
     "dynamic or static: when translators of other programs are linked; ours are there from the start"},
    {"lazyload", OptionKind::Flag, OptionPhase::CommandLine, "0",
     "accepted: -G programs load with the object they are in"},
    {"ldpath", OptionKind::Text, OptionPhase::CommandLine, "ld", "the linker that -G uses"},
    {"libdir", OptionKind::List, OptionPhase::CommandLine, "", "as -L"},
    {"linkmode", OptionKind::Text, OptionPhase::CommandLine, "kernel",
     "kernel, primary, dynamic or static: where symbols are looked up"},
    {"linktype", OptionKind::Text, OptionPhase::CommandLine, "elf", "elf or dof: what -G writes"},
    {"maxframes", OptionKind::Count, OptionPhase::Start, "127", "frames of any stack, at most"},
    {"nolibs", OptionKind::Flag, OptionPhase::CommandLine, "0", "load no D library"},
    {"nspec", OptionKind::Count, OptionPhase::Start, "1", "speculations at once"},
    {"outbufsize", OptionKind::Size, OptionPhase::CommandLine, "16m",
     "output that may wait for who reads it; records beyond are dropped and counted"},
    {"pgmax", OptionKind::Count, OptionPhase::CommandLine, "8", "processes that are held open at once"},
    {"preallocate", OptionKind::Size, OptionPhase::CommandLine, "4k", "accepted: memory is taken when it is needed"},
    {"printsize", OptionKind::Size, OptionPhase::Start, "8k", "most bytes that print() shows"},
    {"procfspath", OptionKind::Text, OptionPhase::CommandLine, "/proc", "where the process file system is"},
    {"pspec", OptionKind::Flag, OptionPhase::Compile, "0", "a program may be a probe description without clause"},
    {"quiet", OptionKind::Flag, OptionPhase::Always, "0", "print only what the script prints"},
    {"quietresize", OptionKind::Flag, OptionPhase::Always, "0", "say nothing when buffers had to be made smaller"},
    {"rawbytes", OptionKind::Flag, OptionPhase::Always, "0", "print strings and arrays as bytes"},
    {"source", OptionKind::Text, OptionPhase::CommandLine, "auto",
     std::string_view(kSourceDoc.data(), kSourceDoc.size())},
    {"specsize", OptionKind::Room, OptionPhase::Start, "4m", "memory of each speculation"},
    {"stackframes", OptionKind::Count, OptionPhase::Start, "20", "frames of stack()"},
    {"stackindent", OptionKind::Count, OptionPhase::Always, "14", "indentation of stack frames"},
    {"statusrate", OptionKind::Rate, OptionPhase::Start, "1s", "how often drops are reported"},
    {"stdc", OptionKind::Text, OptionPhase::CommandLine, "a", "a, c, s or t: how the preprocessor sees __STDC__"},
    {"strip", OptionKind::Flag, OptionPhase::CommandLine, "0", "-G leaves the program's text out of the object"},
    {"strsize", OptionKind::Size, OptionPhase::Start, "256", "longest string, bytes"},
    {"switchrate", OptionKind::Rate, OptionPhase::Always, "10hz", "how often buffers are read"},
    {"syscall_arg_type", OptionKind::Flag, OptionPhase::Always, "0", "argstr shows types"},
    {"syslibdir", OptionKind::Text, OptionPhase::CommandLine, "",
     "directory of D libraries, loaded before those of -L"},
    {"temporality", OptionKind::Text, OptionPhase::CommandLine, "",
     "what a snapshot of aggregations holds: delta (since the last one; where interval is set, the default) or "
     "cumulative"},
    {"udefs", OptionKind::Flag, OptionPhase::Compile, "1", "user symbols must be known"},
    {"undef", OptionKind::List, OptionPhase::CommandLine, "", "as -U"},
    {"unodefs", OptionKind::Flag, OptionPhase::Compile, "0", "unknown user symbols are no error"},
    {"ustackframes", OptionKind::Count, OptionPhase::Start, "100", "frames of ustack()"},
    {"verbose", OptionKind::Flag, OptionPhase::Compile, "0", "list the fire parts, as -S"},
    {"version", OptionKind::Text, OptionPhase::Compile, "", "language version that the script wants"},
    {"zdefs", OptionKind::Flag, OptionPhase::Compile, "0", "descriptions may match nothing"},
});
static_assert(std::ranges::is_sorted(kOptions, {}, &OptionRow::name));

/// The values of all options of one run.
class Options {
 public:
  Options();

  /// Sets an option. `from_program`: by a pragma or setopt(); `tracing`: tracing has begun.
  /// Errors, in DTrace's words: "Invalid option name", "Invalid value for specified option",
  /// "Option cannot be used from within a D program", "Operation illegal when tracing is active".
  Result<void> set(std::string_view name, std::string_view value, bool from_program, bool tracing);

  bool flag(std::string_view name) const;        ///< Flag
  uint64_t number(std::string_view name) const;  ///< Size, Room, Count; Rate as ns
  const std::string& text(std::string_view name) const;
  const std::vector<std::string>& list(std::string_view name) const;  ///< List, in the order of setting
  bool was_set(std::string_view name) const;

  /// Sets options from DTRACE_OPT_NAME=value in the environment. Errors: as set(), with the variable's name.
  Result<void> set_from_environment(char* const* environment);

 private:
  struct Value {
    std::string text;
    std::vector<std::string> list;
    uint64_t number = 0;
    bool set = false;
  };
  const Value& value(std::string_view name) const;
  std::map<std::string, Value, std::less<>> values_;
};

}  // namespace sonde
