// SPDX-License-Identifier: GPL-3.0-or-later
// Each row of the options: its forms mean the same, its value is asked for, and every text shows it
#include "cli/options_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "cli/calls.h"
#include "cli/completion.h"
#include "cli/help.h"
#include "cli/man_page.h"
#include "cli/prompt/commands.h"
#include "runtime/lang/options.h"
#include "runtime/print/printers.h"
#include "tests/cli/parsed.h"

namespace sonde {
namespace {

using ::testing::HasSubstr;
using Words = std::vector<std::string>;

/// A value that the option accepts.
std::string value_of(const CommandLineOption& option) {
  if (option.name == "summary-sort-by") return "calls";
  return option.kind == ValueKind::Pid ? "7" : "text=1";
}

/// What the words mean, but for how they were typed.
auto meaning(const Words& words) {
  const auto [right, arguments, bad] = parse(words);
  std::string refusal = bad.message.substr(std::min(bad.message.size(), bad.message.find(':')));
  Words texts, settings;
  for (const auto& [kind, text] : arguments.programs) texts.push_back(std::to_string(static_cast<int>(kind)) + text);
  for (const auto& [name, value, typed] : arguments.settings) settings.push_back(name + "=" + value);
  return std::tuple(right, refusal, arguments.mode, texts, settings, arguments.commands, arguments.pids,
                    arguments.providers, arguments.output, arguments.topic, arguments.verbose, arguments.disassemble,
                    arguments.built_in, calls_script(arguments.calls));
}

/// Words beside which the option has a meaning: a script, or a program without one.
Words beside(const CommandLineOption& option) {
  const bool of_programs = std::holds_alternative<OfCalls>(option.effect) || option.group == OptionGroup::Whom;
  return of_programs ? Words{"-c", "true"} : Words{"-n", "BEGIN"};
}

/// The option, and what it stands beside.
Words with(const std::string& form, const CommandLineOption& option) {
  Words words = beside(option);
  words.insert(words.begin(), form);
  return words;
}

bool is_digit(const CommandLineOption& option) { return option.letter >= '0' && option.letter <= '9'; }

TEST(OptionsTable, LetterAndLongFormMeanTheSame) {
  for (const CommandLineOption& option : kCommandLine) {
    if (option.letter == 0 || is_digit(option)) continue;
    const std::string value = takes_value(option) && !value_is_optional(option) ? value_of(option) : "";
    const std::string by_letter = label(option) + value;
    const std::string by_name = "--" + std::string(option.name) + (value.empty() ? "" : "=" + value);
    EXPECT_EQ(meaning(with(by_letter, option)), meaning(with(by_name, option))) << by_name;
    EXPECT_NE(meaning(with(by_letter, option)), meaning(beside(option))) << by_letter << " does nothing";
  }
}

TEST(OptionsTable, NoFormHasTwoRows) {
  std::set<std::string> seen;
  for (const CommandLineOption& option : kCommandLine) {
    if (option.letter != 0) EXPECT_TRUE(seen.insert(std::string(1, option.letter)).second) << option.letter;
    if (!option.name.empty()) EXPECT_TRUE(seen.insert(std::string(option.name)).second) << option.name;
  }
}

TEST(OptionsTable, AMissingValueIsAskedForByTheFormThatWasTyped) {
  for (const CommandLineOption& option : kCommandLine) {
    if (!takes_value(option) || value_is_optional(option)) continue;
    const Parsed by_name = parse({"--" + std::string(option.name)});
    EXPECT_FALSE(by_name.right) << option.name;
    EXPECT_TRUE(by_name.bad.usage);
    const std::string shown = option.letter == 0 ? "--" + std::string(option.name) : std::string(1, option.letter);
    EXPECT_EQ(by_name.bad.message, "option requires an argument -- '" + shown + "'\n    " + forms(option) + ": " +
                                       std::string(option.sentence));
    if (option.letter != 0) EXPECT_EQ(parse({label(option)}).bad.message, by_name.bad.message);
  }
}

TEST(OptionsTable, AMisspeltLongFormHasAHint) {
  for (const CommandLineOption& option : kCommandLine) {
    if (option.name.size() < 4) continue;
    const std::string typed = std::string(option.name) + option.name.back();
    EXPECT_EQ(parse({"--" + typed}).bad.message,
              "invalid option -- '--" + typed + "'\n    did you mean '--" + std::string(option.name) + "'?");
  }
}

TEST(OptionsTable, ModesExcludeEachOther) {
  for (const CommandLineOption& one : kCommandLine) {
    for (const CommandLineOption& other : kCommandLine) {
      const auto *mode = std::get_if<Enters>(&one.effect), *second = std::get_if<Enters>(&other.effect);
      if (mode == nullptr || second == nullptr || mode->mode == second->mode) continue;
      const auto form = [](const CommandLineOption& option) {
        return "--" + std::string(option.name) + (takes_value(option) ? "=text" : "");
      };
      EXPECT_EQ(parse({form(one), form(other)}).bad.message, "only one of these may be given: " + modes())
          << one.name << " " << other.name;
    }
  }
}

TEST(OptionsTable, FixedValuesOfOneSettingExcludeEachOther) {
  EXPECT_EQ(parse({"-32", "-64", "-n", "BEGIN"}).bad.message, "only one of -32 and -64 may be given");
  EXPECT_EQ(parse({"--32", "--64", "-n", "BEGIN"}).bad.message, "only one of --32 and --64 may be given");
  EXPECT_EQ(parse({"--cumulative", "--delta", "-n", "BEGIN"}).bad.message,
            "only one of --cumulative and --delta may be given");
  EXPECT_TRUE(parse({"-q", "--quiet", "-32", "-32", "-n", "BEGIN"}).right);
}

TEST(OptionsTable, EveryTextShowsEveryRow) {
  const std::string all = find_topic("options")->text(), page = man_page();
  const std::string bash = completion("bash"), zsh = completion("zsh"), fish = completion("fish");
  for (const CommandLineOption& option : kCommandLine) {
    if (option.name.empty()) continue;
    const std::string form = "--" + std::string(option.name);
    EXPECT_THAT(all, HasSubstr("\n  " + forms(option)));
    EXPECT_EQ(help().find("\n  " + forms(option)) != std::string::npos, option.first) << form;
    std::string roff;
    for (const char c : form) roff += c == '-' ? std::string("\\-") : std::string(1, c);
    EXPECT_THAT(page, HasSubstr(roff));
    EXPECT_THAT(bash, HasSubstr(form));
    EXPECT_THAT(zsh, HasSubstr("'*" + form));
    EXPECT_THAT(fish, HasSubstr(" -l " + std::string(option.name) + " "));
  }
}

TEST(Help, EachTopicHasATextInItsWidth) {
  for (const HelpTopic& topic : help_topics()) {
    const std::string text = topic.text();
    EXPECT_FALSE(text.empty()) << topic.name;
    EXPECT_THAT("\n" + find_topic("topics")->text(), HasSubstr("\n  " + std::string(topic.name)));
    EXPECT_EQ(find_topic(topic.name), &topic);
    if (topic.name == "man") continue;
    size_t widest = 0;
    for (size_t at = 0; at < text.size();) {
      const size_t end = text.find('\n', at);
      ASSERT_NE(end, std::string::npos) << topic.name << " does not end its last line";
      widest = std::max(widest, end - at);
      at = end + 1;
    }
    EXPECT_LE(widest, kTextWidth) << topic.name;
  }
  EXPECT_EQ(find_topic("nothing"), nullptr);
  EXPECT_EQ(no_topic("optoins"), "no topic 'optoins'\n    did you mean 'options'?");
  EXPECT_EQ(no_topic("quite else"), "no topic 'quite else'\n    --help=topics lists them");
}

TEST(Help, TopicsShowTheirTables) {
  for (const OptionRow& row : kOptions)
    EXPECT_THAT("\n" + find_topic("settings")->text(), HasSubstr("\n  " + std::string(row.name)));
  for (const PromptCommandRow& row : prompt_commands())
    EXPECT_THAT(find_topic("prompt")->text(), HasSubstr("\n  :" + std::string(row.name)));
  for (const PrinterRow& row : kPrinterRows)
    EXPECT_THAT("\n" + find_topic("formats")->text(), HasSubstr("\n  " + std::string(row.name)));
}

TEST(Help, WordsAreBrokenBetweenLinesOnly) {
  EXPECT_EQ(list_line("a", "one two", 6), "  a   one two\n");
  EXPECT_EQ(list_line("wide-label", "one", 6), "  wide-label\n      one\n");
  const std::string word(60, 'x');
  EXPECT_EQ(list_line("a", word + " " + word, 6), "  a   " + word + "\n      " + word + "\n");
}

TEST(Help, ATopicIsAsked) {
  EXPECT_EQ(parse({"--help=options"}).arguments.topic, "options");
  EXPECT_EQ(parse({"help", "options"}).arguments.topic, "options");
  EXPECT_EQ(parse({"help"}).arguments.topic, "");
  EXPECT_EQ(parse({"--completion=bash"}).arguments.mode, Mode::Completion);
  EXPECT_EQ(completion("ksh"), "");
}

}  // namespace
}  // namespace sonde
