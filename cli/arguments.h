// SPDX-License-Identifier: GPL-3.0-or-later
// The parsed command line: what was asked for, in order, before any of it is done.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/built_in.h"
#include "cli/calls.h"
#include "cli/injection.h"
#include "cli/summary.h"
#include "cli/tools/script_header.h"
#include "compiler/source/diagnostic.h"
#include "runtime/base/result.h"

namespace sonde {

enum class Mode : uint8_t {
  Trace,
  List,
  CompileOnly,
  Version,
  Help,
  Prompt,
  CheckProvider,
  Completion,
  Doctor,
  Why,
  Header,
  Object
};

struct Arguments {
  struct Program {
    SourceText::Kind kind{};
    std::string text;  ///< the option's argument: a file's name for -s
  };
  struct Setting {
    std::string name, value;
    std::string typed = {};  ///< "--interval", "-b"; empty: -x, or the environment
  };

  Mode mode = Mode::Trace;
  std::vector<Program> programs;
  std::vector<Setting> settings;                   ///< -x, and the options that are short for an -x
  std::vector<std::vector<std::string>> commands;  ///< the words of each -c, and of a program that is given without -c
  std::vector<uint32_t> pids;                      ///< -p
  std::vector<std::string> words;                  ///< $1, $2, ...; of Object: objects
  std::map<std::string, std::string, std::less<>>
      named;                           ///< macro variables: the options of scripts that have a header
  std::string tool;                    ///< the file of the script that a word names and that has a header
  std::vector<std::string> providers;  ///< --provider=FILE; for CheckProvider the file to check
  std::string output;                  ///< -o
  std::vector<Injection> injections;   ///< --inject
  const BuiltIn* built_in = nullptr;   ///< what runs beside the scripts, or in their place
  CallList calls;                      ///< of the built-in tool, as the next
  std::string topic;                   ///< of Help: what about; of Completion: the shell; of Doctor: a program
  bool verbose = false;                ///< -v
  bool disassemble = false;            ///< -S
  Summary summary;
  bool json = false;                   ///< of Doctor: --json
  bool lists_words = false;            ///< -l WORD: the programs are patterns for any field
  std::optional<std::string> watched;  ///< --watch
  bool runs_on = false;  ///< the prompt's clauses come from standard input, without --repl: they run as a script does
  bool named_built_in = false;       ///< by its word: without a target it looks at the whole machine
  std::vector<std::string> remarks;  ///< hints on arguments that are valid but probably a mistake

  bool has_targets() const { return !commands.empty() || !pids.empty(); }
  /// The built-in tool runs in place of a script.
  bool without_script() const {
    return built_in != nullptr && mode == Mode::Trace && programs.empty() && (named_built_in || has_targets());
  }
};

/// An invalid command line. `usage`: print the usage text, status 2; else status 1.
struct BadArguments {
  std::string message;
  bool usage = true;
};

/// A hint on the arguments of a script that look like a program and its arguments; empty: they do not.
std::string hint_on_words(const Arguments& arguments);
/// A hint on -f PROGRAM, strace's spelling of what is the default here; empty: there is no -f, or its value is no program.
std::string hint_on_function(const Arguments& arguments);

/// Parses argv. Returns false, with `bad` filled in, if it is invalid.
bool parse_arguments(int argc, char** argv, Arguments& arguments, BadArguments& bad);

}  // namespace sonde
