// SPDX-License-Identifier: GPL-3.0-or-later
// The commands of the prompt, one row each
//
//   prompt_commands() --> Prompt     a line that begins with a colon, or with the whole name of a command
//                     --> complete() what Tab offers behind it
//                     --> :help, --help=prompt, docs/using.md
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sonde {

class Prompt;

/// What follows a command, for Tab.
enum class Completes : uint8_t { Nothing, Target, Aggregation, Clause, Probes, Topic, File, Setting, Source, Name };

struct PromptCommandRow {
  std::string_view name;
  std::string_view value;  ///< what follows it, as in texts; empty: nothing
  Completes completes;
  void (*run)(Prompt& prompt, const std::string& rest);  ///< `rest`: what follows, without blanks around it
  std::string_view sentence;
};

std::span<const PromptCommandRow> prompt_commands();

/// Those whose names begin with `name`; the one that has this name, if there is one.
std::vector<const PromptCommandRow*> find_prompt_commands(std::string_view name);

/// How to do here what the first word of a line does in other tools; empty: no tool that we know has it.
std::string hint_on_word(std::string_view text);

/// A line that begins with a colon. Two are the beginning of a description: ::open:entry
bool is_command(std::string_view text);

/// A command typed without its colon, as in gdb, with it; empty: the text is none. Its first word is the whole name of a
/// command, or what people type for one: exit, ?
std::string with_colon(const std::string& text);

}  // namespace sonde
