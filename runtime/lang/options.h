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

#include "runtime/base/look.h"
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
  /// Scripts of other systems set it; here it changes nothing, for the reason in `doc`.
  bool has_no_effect = false;
};

/// "event source: a, b, or auto: the first of them that works": its parts
constexpr void each_part_of_source_doc(const auto& visit) {
  visit(std::string_view("event source: "));
  for (const SourceRow& row : kSourceRows) {
    visit(row.name);
    visit(std::string_view(", "));
  }
  visit(std::string_view("or auto: the first of them that works"));
}
inline constexpr auto kSourceDoc = [] {
  constexpr size_t size = [] {
    size_t sum = 0;
    each_part_of_source_doc([&](std::string_view part) { sum += part.size(); });
    return sum;
  }();
  std::array<char, size> text{};
  auto at = text.begin();
  each_part_of_source_doc([&](std::string_view part) { at = std::ranges::copy(part, at).out; });
  return text;
}();

inline constexpr std::array kOptions = std::to_array<OptionRow>({
    {"aggpercpu", OptionKind::Flag, OptionPhase::Start, "0", "also print the share of each CPU in aggregations"},
    {"aggrate", OptionKind::Rate, OptionPhase::Always, "1s",
     "how stale the data that printa() shows may be; by default it is current"},
    {"aggsize", OptionKind::Size, OptionPhase::Start, "64m", "memory for aggregations"},
    {"aggsortkey", OptionKind::Flag, OptionPhase::Always, "0",
     "sort aggregations by their keys instead of their values"},
    {"aggsortkeypos", OptionKind::Count, OptionPhase::Always, "0", "number of the key that sorts first"},
    {"aggsortpos", OptionKind::Count, OptionPhase::Always, "0",
     "number of the aggregation that sorts the rows of a printa() of several"},
    {"aggsortrev", OptionKind::Flag, OptionPhase::Always, "0", "sort in reverse order"},
    {"aggzeros", OptionKind::Flag, OptionPhase::Always, "1", "print elements of aggregations whose value is 0"},
    {"amin", OptionKind::Text, OptionPhase::CommandLine, "",
     "lowest stability (a/b/c) of the names that a script may use"},
    {"argref", OptionKind::Flag, OptionPhase::Compile, "0", "permit macro arguments that no program uses"},
    {"argstr", OptionKind::Text, OptionPhase::Compile, "full",
     "how argstr and retstr show a system call: full, plain (descriptors as numbers only), or classic (all numbers in "
     "hex, with parameter names)"},
    {"argstrsize", OptionKind::Count, OptionPhase::CommandLine, "32",
     "bytes of each text and buffer that argstr shows, up to 4096"},
    {"argstrwhole", OptionKind::Flag, OptionPhase::CommandLine, "0",
     "argstr shows all members of structures, and the environment of execve"},
    {"bufpolicy", OptionKind::Text, OptionPhase::Start, "switch",
     "what happens when a buffer is full: switch (drop until it has been read), fill (drop from then on), ring "
     "(overwrite the oldest)"},
    {"bufresize", OptionKind::Text, OptionPhase::Start, "auto",
     "auto: if memory is short, halve the buffers until they fit; manual: fail"},
    {"bufsize", OptionKind::Size, OptionPhase::Start, "4m", "size of each principal buffer"},
    {"cgroup", OptionKind::Text, OptionPhase::CommandLine, "",
     "only threads in this cgroup, or below it: a path, an id, or a path with * ? [...]"},
    {"children", OptionKind::Flag, OptionPhase::CommandLine, "0",
     "-p also attaches to the existing descendants of the process"},
    {"cleanrate", OptionKind::Rate, OptionPhase::Start, "101hz",
     "how soon a speculation of several threads becomes free again"},
    {"container", OptionKind::Text, OptionPhase::CommandLine, "",
     "only threads in this container: its name, or the beginning of its id"},
    {"core", OptionKind::Flag, OptionPhase::CommandLine, "0", "Sonde takes no names from core files", true},
    {"cpp", OptionKind::Flag, OptionPhase::CommandLine, "0", "run the preprocessor, as -C"},
    {"cppargs", OptionKind::Text, OptionPhase::CommandLine, "", "more arguments for the preprocessor"},
    {"cpphdrs", OptionKind::Flag, OptionPhase::CommandLine, "0", "print the names of included files, as -H"},
    {"cpppath", OptionKind::Text, OptionPhase::CommandLine, "cpp", "path of the preprocessor"},
    {"cpu", OptionKind::Count, OptionPhase::Start, "", "trace only this CPU"},
    {"defaultargs", OptionKind::Flag, OptionPhase::Compile, "0", "missing macro arguments are 0 or \"\""},
    {"define", OptionKind::List, OptionPhase::CommandLine, "", "define a macro, as -D"},
    {"demangle", OptionKind::Flag, OptionPhase::CommandLine, "1",
     "show functions of C++, Rust and D by their names in the source; no: by their linker names"},
    {"destructive", OptionKind::Flag, OptionPhase::Start, "0", "permit destructive actions, as -w"},
    {"diagnostics", OptionKind::Text, OptionPhase::CommandLine, "auto",
     "how compile errors are shown: dtrace (as DTrace does), place (FILE:LINE:COLUMN: error: REASON), json (an object "
     "a "
     "line, for editors), or auto: place on a terminal, otherwise dtrace"},
    {"droptags", OptionKind::Flag, OptionPhase::Always, "0", "print the tags of drops"},
    {"duration", OptionKind::Duration, OptionPhase::CommandLine, "", "end the run after this time"},
    {"dynvarsize", OptionKind::Size, OptionPhase::Start, "16m",
     "memory for associative arrays and thread-local variables"},
    {"empty", OptionKind::Flag, OptionPhase::Compile, "0", "permit an empty program"},
    {"eofexit", OptionKind::Flag, OptionPhase::CommandLine, "0",
     "end the run when standard input, a pipe or a socket, ends"},
    {"errtags", OptionKind::Flag, OptionPhase::Compile, "0", "print the tags of compile errors"},
    {"evaltime", OptionKind::Text, OptionPhase::Compile, "",
     "where a program of -c waits until its probes are enabled: exec, preinit, postinit (after the dynamic linker) or "
     "main"},
    {"flowindent", OptionKind::Flag, OptionPhase::Always, "0", "indent output at entry and return, as -F"},
    {"followforks", OptionKind::Flag, OptionPhase::CommandLine, "1",
     "pid probes also fire in forked children of the process, until these execute another program"},
    {"format", OptionKind::Text, OptionPhase::CommandLine, "text",
     "output format: text, as DTrace prints, or for other programs jsonl, csv, folded, svg, chrome"},
    {"host", OptionKind::Text, OptionPhase::CommandLine, "", "name of this host in output for other programs"},
    {"ilp32", OptionKind::Flag, OptionPhase::CommandLine, "0", "long and pointers in memory have 4 bytes, as -32"},
    {"incdir", OptionKind::List, OptionPhase::CommandLine, "", "add a directory of include files, as -I"},
    {"interval", OptionKind::Duration, OptionPhase::CommandLine, "",
     "print the aggregations at each multiple of this time, which is 100 ms or more"},
    {"jstackframes", OptionKind::Count, OptionPhase::Start, "50", "frames that jstack() records"},
    {"jstackstrsize", OptionKind::Count, OptionPhase::Start, "512",
     "Sonde finds the names of compiled code when it prints them", true},
    {"kdefs", OptionKind::Flag, OptionPhase::Compile, "1", "a script cannot name variables of the kernel", true},
    {"knodefs", OptionKind::Flag, OptionPhase::Compile, "0", "a script cannot name variables of the kernel", true},
    {"labels", OptionKind::Text, OptionPhase::CommandLine, "",
     "labels of the run in output for other programs: k=v, separated by commas"},
    {"late", OptionKind::Text, OptionPhase::CommandLine, "dynamic", "for a linker, which -G does not run", true},
    {"lazyload", OptionKind::Flag, OptionPhase::CommandLine, "0", "for a linker, which -G does not run", true},
    {"ldpath", OptionKind::Text, OptionPhase::CommandLine, "ld", "for a linker, which -G does not run", true},
    {"libdir", OptionKind::List, OptionPhase::CommandLine, "", "add a directory of D libraries, as -L"},
    {"linkmode", OptionKind::Text, OptionPhase::CommandLine, "kernel", "for a linker, which -G does not run", true},
    {"linktype", OptionKind::Text, OptionPhase::CommandLine, "elf", "for a linker, which -G does not run", true},
    {"maxframes", OptionKind::Count, OptionPhase::Start, "127", "largest number of frames in any stack"},
    {"mintime", OptionKind::Duration, OptionPhase::CommandLine, "",
     "-F leaves out calls that take less time than this, as 1ms"},
    {"nolibs", OptionKind::Flag, OptionPhase::CommandLine, "0", "load no D libraries"},
    {"nspec", OptionKind::Count, OptionPhase::Start, "1", "number of speculations at one time"},
    {"outbufsize", OptionKind::Size, OptionPhase::CommandLine, "16m",
     "how much output may wait for its reader; records beyond that are dropped and counted"},
    {"pgmax", OptionKind::Count, OptionPhase::CommandLine, "8", "Sonde holds no processes open", true},
    {"preallocate", OptionKind::Size, OptionPhase::CommandLine, "4k", "Sonde allocates memory when it needs it", true},
    {"printsize", OptionKind::Size, OptionPhase::Start, "8k", "largest object that print() shows, in bytes"},
    {"procfspath", OptionKind::Text, OptionPhase::CommandLine, "/proc", "the process file system is always at /proc",
     true},
    {"pspec", OptionKind::Flag, OptionPhase::Compile, "0", "permit a probe description without a clause"},
    {"quiet", OptionKind::Flag, OptionPhase::Always, "0", "print only what the script prints, as -q"},
    {"quietresize", OptionKind::Flag, OptionPhase::Always, "0", "do not report buffers that had to be made smaller"},
    {"rawbytes", OptionKind::Flag, OptionPhase::Always, "0", "print strings and arrays as bytes"},
    {"samestack", OptionKind::Flag, OptionPhase::Always, "0",
     "a traced stack that equals the last one of its thread is one line: same stack"},
    {"setenv", OptionKind::List, OptionPhase::CommandLine, "",
     "a variable in the environment of -c programs, NAME=VALUE; NAME alone removes it"},
    {"source", OptionKind::Text, OptionPhase::CommandLine, "auto",
     std::string_view(kSourceDoc.data(), kSourceDoc.size())},
    {"specsize", OptionKind::Room, OptionPhase::Start, "4m", "memory for each speculation"},
    {"stackframes", OptionKind::Count, OptionPhase::Start, "20", "frames that stack() records"},
    {"stackindent", OptionKind::Count, OptionPhase::Always, "14", "columns by which stack frames are indented"},
    {"statusrate", OptionKind::Rate, OptionPhase::Start, "1s", "how often drops are reported"},
    {"stdc", OptionKind::Text, OptionPhase::CommandLine, "a",
     "value of __STDC__ for the preprocessor: a, c, s or t, as -X"},
    {"strip", OptionKind::Flag, OptionPhase::CommandLine, "0", "for a linker, which -G does not run", true},
    {"strsize", OptionKind::Size, OptionPhase::Start, "256", "longest string, in bytes"},
    {"switchrate", OptionKind::Rate, OptionPhase::Always, "10hz", "how often buffers are read"},
    {"syscall_arg_type", OptionKind::Flag, OptionPhase::Always, "0", "argstr also shows the types of the arguments"},
    {"syslibdir", OptionKind::Text, OptionPhase::CommandLine, "",
     "directory of the D libraries that are loaded before those of -L"},
    {"temporality", OptionKind::Text, OptionPhase::CommandLine, "",
     "what each print of the aggregations covers: delta, since the last print (default with interval), or cumulative, "
     "since the start"},
    {"title", OptionKind::Text, OptionPhase::CommandLine, "", "title of a picture; else what runs, and on what"},
    {"udefs", OptionKind::Flag, OptionPhase::Compile, "1", "a script cannot name variables of programs", true},
    {"undef", OptionKind::List, OptionPhase::CommandLine, "", "remove a macro, as -U"},
    {"units", OptionKind::Text, OptionPhase::CommandLine, "auto",
     "auto: on a terminal, times of calls have a unit, and so have large sizes in the list of calls; always: elsewhere "
     "and in argstr, too; raw: nowhere"},
    {"unodefs", OptionKind::Flag, OptionPhase::Compile, "0", "a script cannot name variables of programs", true},
    {"user", OptionKind::Text, OptionPhase::CommandLine, "", "the user that -c programs run as, as --user; for root"},
    {"ustackframes", OptionKind::Count, OptionPhase::Start, "100", "frames that ustack() records"},
    {"verbose", OptionKind::Flag, OptionPhase::Compile, "0", "list the fire parts, as -S"},
    {"version", OptionKind::Text, OptionPhase::Compile, "", "version of the language that the script needs"},
    {"zdefs", OptionKind::Flag, OptionPhase::Compile, "0", "permit descriptions that match nothing, as -Z"},
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
  /// A sentence for each option that was set and has no effect.
  std::vector<std::string> without_effect() const;

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

/// Whether times that are shown with this look have units.
inline bool shows_units(const Options& options, const Look& look) {
  return options.text("units") == "always" || (options.text("units") == "auto" && look.is_rich());
}

}  // namespace sonde
