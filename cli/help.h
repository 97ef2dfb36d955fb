// SPDX-License-Identifier: GPL-3.0-or-later
// The texts of --help, --help=TOPIC, -x help and the prompt's :help. All are made from the tables.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "runtime/lang/options.h"

namespace sonde {

struct HelpTopic {
  std::string_view name;
  std::string_view sentence;
  std::string (*text)();
};

std::span<const HelpTopic> help_topics();
/// The topic of that name; null: there is none.
const HelpTopic* find_topic(std::string_view name);
/// For a topic that does not exist: "no topic 'probs'\n    did you mean 'probes'?"
std::string no_topic(std::string_view name);

/// The usage text, as DTrace's.
std::string usage();
/// The one of --help: the usage, and the options that people need first.
std::string help();

/// Functions and variables that only sonde's own D uses.
inline bool is_internal(std::string_view name) { return name.starts_with("__"); }

/// What an option of D is for, or why it has no effect.
std::string sentence_of(const OptionRow& option);

/// One line of a list: the label in its column, and the sentence beside it, broken at kTextWidth. A label that is too
/// wide has a line of its own.
std::string list_line(std::string_view label, std::string_view sentence, size_t column);
/// A text from that column on, broken at kTextWidth.
std::string paragraph(std::string_view text, size_t column);
constexpr size_t kTextWidth = 100;

}  // namespace sonde
