// SPDX-License-Identifier: GPL-3.0-or-later
// The parsed command line: what was asked for, in order, before any of it is done.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/source/diagnostic.h"
#include "runtime/base/result.h"

namespace sonde {

enum class Mode : uint8_t { Trace, List, CompileOnly, Version, Help, Prompt, CheckProvider, Completion };

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
  std::vector<std::string> words;                  ///< $1, $2, ...
  std::vector<std::string> providers;              ///< --provider=FILE; for CheckProvider the file to check
  std::string output;                              ///< -o
  std::string topic;                               ///< of Help: what about; of Completion: the shell
  bool verbose = false;                            ///< -v
  bool disassemble = false;                        ///< -S
  bool summary = false;                            ///< --summary
  bool lists_words = false;                        ///< -l WORD: the programs are patterns for any field
  bool no_script = false;            ///< nothing says what to trace of the targets: trace what strace shows
  std::vector<std::string> remarks;  ///< hints on arguments that are valid but probably a mistake
};

/// An invalid command line. `usage`: print the usage text, status 2; else status 1.
struct BadArguments {
  std::string message;
  bool usage = true;
};

/// Parses argv. Returns false, with `bad` filled in, if it is invalid.
bool parse_arguments(int argc, char** argv, Arguments& arguments, BadArguments& bad);

}  // namespace sonde
