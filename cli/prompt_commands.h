// SPDX-License-Identifier: GPL-3.0-or-later
// The commands of the prompt, one row each: name, what follows, sentence. Their functions are in prompt.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace sonde {

enum class PromptCommand : uint8_t { Target, Clauses, Disable, Print, List, Stop, Help, Quit };

struct PromptCommandRow {
  PromptCommand command;
  std::string_view name;
  std::string_view value;  ///< what follows it, as in texts; empty: nothing
  std::string_view sentence;
};

inline constexpr std::array kPromptCommands = std::to_array<PromptCommandRow>({
    {PromptCommand::Target, "target", "COMMAND | PID",
     "starts a program, or attaches to one; alone: lists the targets"},
    {PromptCommand::Clauses, "clauses", "", "lists the clauses, with their numbers"},
    {PromptCommand::Disable, "disable", "N", "takes clause N out"},
    {PromptCommand::Print, "print", "[@NAME]", "prints an aggregation, or all"},
    {PromptCommand::List, "list", "[DESCRIPTION]", "lists probes, as in :list syscall::open*:entry"},
    {PromptCommand::Stop, "stop", "", "lets the targets go; they run on untraced"},
    {PromptCommand::Help, "help", "[TOPIC]", "this text, or one about a topic: :help topics lists them"},
    {PromptCommand::Quit, "quit", "", "ends the session; the targets run on"},
});

/// The command of that name, or the first whose name begins so; null: there is none.
constexpr const PromptCommandRow* find_prompt_command(std::string_view name) {
  for (const PromptCommandRow& row : kPromptCommands)
    if (!name.empty() && row.name.starts_with(name)) return &row;
  return nullptr;
}

}  // namespace sonde
