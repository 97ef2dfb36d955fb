// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/options_table.h"

namespace sonde {

std::string_view title(OptionGroup group) {
  switch (group) {
    case OptionGroup::What: return "what to trace";
    case OptionGroup::Whom: return "whom";
    case OptionGroup::Calls: return "the list of calls, which sonde prints where there is no script";
    case OptionGroup::How: return "how";
    case OptionGroup::Output: return "what is printed";
    case OptionGroup::Preprocessor: return "the preprocessor";
    case OptionGroup::Instead: return "instead of tracing";
  }
  return {};
}

namespace {

/// "-n", "-32", or empty.
std::string short_form(const CommandLineOption& option) {
  if (option.letter == 0) return {};
  return option.letter >= '0' && option.letter <= '9' ? "-" + std::string(option.name)
                                                      : std::string("-") + option.letter;
}

}  // namespace

std::string label(const CommandLineOption& option) {
  const std::string letter = short_form(option);
  return letter.empty() ? "--" + std::string(option.name) : letter;
}

std::string forms(const CommandLineOption& option) {
  std::string text = short_form(option);
  text += (text.empty() ? "--" : ", --") + std::string(option.name);
  if (value_is_optional(option)) return text + "[=" + std::string(option.value.substr(1));
  return takes_value(option) ? text + "=" + std::string(option.value) : text;
}

std::string modes() {
  std::string text;
  for (const CommandLineOption& option : kCommandLine) {
    if (!std::holds_alternative<Enters>(option.effect)) continue;
    text += (text.empty() ? "" : ", ") + label(option);
  }
  return text;
}

}  // namespace sonde
