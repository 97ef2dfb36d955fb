// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/prompt/commands.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <optional>
#include <utility>

#include "cli/help.h"
#include "cli/listing.h"
#include "cli/prompt/prompt.h"
#include "cli/prompt/typed.h"
#include "cli/trimmed.h"
#include "compiler/parse/parser.h"

namespace sonde {
namespace {

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// ---- targets ---------------------------------------------------------------------------------------------------

void target(Prompt& prompt, const std::string& rest) {
  if (rest.empty()) {
    const std::string text = prompt.targets().listing();
    return prompt.screen().answer(text.empty() ? "no target: :target COMMAND starts one, :target PID attaches\n"
                                               : text);
  }
  const auto pid = number_of<uint32_t>(rest);
  const auto target = pid ? prompt.targets().attach(*pid) : prompt.targets().start(rest);
  if (!target) return prompt.complain(target.error());
  if (pid) return prompt.say("attached to pid " + std::to_string(target->pid));
  prompt.say("started " + target->name + ", pid " + std::to_string(target->pid));
}

/// NAME and TEXT of "NAME: TEXT"; without a name, of "TEXT".
std::pair<std::string, std::string> named_text(const std::string& rest) {
  const size_t end = std::min(rest.find(' '), rest.size());
  if (end < 2 || rest[end - 1] != ':') return {"", rest};
  return {rest.substr(0, end - 1), trimmed(rest.substr(end))};
}

void input(Prompt& prompt, const std::string& rest) {
  const auto [name, text] = named_text(rest);
  if (auto done = prompt.target_output().type(name, text + "\n"); !done) prompt.complain(done.error());
}

void to_front(Prompt& prompt, const std::string& rest) {
  if (auto done = prompt.target_output().bring_to_front(rest); !done) prompt.complain(done.error());
}

void run_again(Prompt& prompt, const std::string& rest) {
  const auto target = prompt.targets().start_again(rest);
  if (!target) return prompt.complain(target.error());
  prompt.say("started " + target->name + ", pid " + std::to_string(target->pid));
}

void stop(Prompt& prompt, const std::string&) {
  const auto gone = prompt.session().targets().stop();
  if (!gone) return prompt.complain(gone.error());
  if (*gone == 0) return prompt.say("no target");
  prompt.say("let go of " + with_commas(*gone) + (*gone == 1 ? " process" : " processes"));
}

// ---- clauses ---------------------------------------------------------------------------------------------------

void clauses(Prompt& prompt, const std::string&) {
  const std::string text = prompt.entries().listing();
  prompt.screen().answer(text.empty() ? "no clauses yet\n" : text);
}

/// Does it to the clause of that number, or to all. `what`: "disable", as in "clause 2 is disabled".
void change(Prompt& prompt, const std::string& rest, const std::string& what,
            Result<void> (Entries::*act)(Entries::Entry& entry), bool enabled) {
  Entries& entries = prompt.entries();
  Entries::Entry* const one = entries.find(rest);
  if (one == nullptr && rest != "all") return prompt.complain(what + " which clause? :clauses numbers them");
  if (one != nullptr && one->enabled == enabled) return prompt.say("clause " + rest + " is " + what + "d already");
  for (Entries::Entry& entry : entries.all()) {
    if (entry.enabled == enabled || (one != nullptr && one != &entry)) continue;
    if (auto done = (entries.*act)(entry); !done) return prompt.complain(done.error());
  }
  prompt.say(one != nullptr ? "clause " + rest + " is " + what + "d" : "all clauses are " + what + "d");
}

void disable(Prompt& prompt, const std::string& rest) { change(prompt, rest, "disable", &Entries::disable, false); }

void enable(Prompt& prompt, const std::string& rest) { change(prompt, rest, "enable", &Entries::enable, true); }

void edit(Prompt& prompt, const std::string& rest) {
  Entries::Entry* entry = prompt.entries().find(rest);
  if (entry == nullptr) return prompt.complain("edit which clause? :clauses numbers them");
  prompt.edit(*entry);
}

/// Whether the file may be written over: there is none, it is empty, or it was saved by us. Errors: why not.
Result<void> may_be_replaced(const std::string& path, const std::string& script) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0)
    return errno == ENOENT ? Result<void>() : Error::from_errno("failed to look at " + path);
  if (!S_ISREG(about.st_mode)) return Error(path + " is no regular file", EINVAL);
  std::ifstream file(path);
  if (!file) return Error::from_errno("failed to read " + path);
  std::string first;
  const bool ours = !std::getline(file, first) || script.starts_with(first + "\n");
  return ours ? Result<void>() : Error(path + " is there already, and no script of :save", EEXIST);
}

/// Writes a file beside it, which takes its place when all of it is on the disk: a failed write leaves the old one.
Result<void> replace_file(const std::string& path, const std::string& text) {
  const std::string beside = path + ".new";
  UniqueFd file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.get() < 0) return Error::from_errno("failed to write " + path);
  int error = write_all(file.get(), text);
  if (error == 0 && ::fsync(file.get()) != 0) error = errno;
  if (error == 0 && ::rename(beside.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return {};
  ::unlink(beside.c_str());
  errno = error;
  return Error::from_errno("failed to write " + path);
}

void save(Prompt& prompt, const std::string& rest) {
  if (rest.empty()) return prompt.complain("save to which file?");
  size_t left_out = 0;
  const std::string script = prompt.script(left_out);
  if (auto may = may_be_replaced(rest, script); !may) return prompt.complain(may.error());
  if (auto done = replace_file(rest, script); !done) return prompt.complain(done.error());
  prompt.say("saved to " + rest + (left_out > 0 ? ", without the disabled clauses" : "") + "; sonde -s " + rest +
             " runs it");
}

void load(Prompt& prompt, const std::string& rest) {
  if (rest.empty()) return prompt.complain("load which file?");
  if (auto done = prompt.load(rest); !done) prompt.complain(done.error());
}

// ---- what is shown ---------------------------------------------------------------------------------------------

void print(Prompt& prompt, const std::string& rest) {
  if (prompt.session().program().aggregations.empty())
    return prompt.complain("no aggregation yet: @NAME = count() and others");
  Consumer& consumer = prompt.session().tracing().consumer();
  consumer.drain();
  Result<void> done;
  const std::string text = prompt.output().capture(
      [&] { done = consumer.print_aggregation(rest.starts_with('@') ? rest.substr(1) : rest); });
  if (!done) return prompt.complain(done.error());
  prompt.screen().answer(text);
}

void clear(Prompt& prompt, const std::string& rest) {
  Consumer& consumer = prompt.session().tracing().consumer();
  consumer.drain();
  if (auto done = consumer.clear_aggregation(rest.starts_with('@') ? rest.substr(1) : rest); !done)
    return prompt.complain(done.error());
  prompt.say(rest.empty() ? "all aggregations are empty now; Ctrl-L clears the screen" : rest + " is empty now");
}

void watch(Prompt& prompt, const std::string& rest) {
  if (rest == "off" || (rest.empty() && prompt.watched().is_on())) return prompt.watched().end();
  auto watched = parse_watch(rest);
  if (!watched) return prompt.complain(watched.error());
  const auto& all = prompt.session().program().aggregations;
  const std::string& name = watched->name;
  const bool there = name.empty() ? !all.empty() : std::ranges::find(all, name, &AggregationDesc::name) != all.end();
  if (!there)
    prompt.say("no aggregation" + (name.empty() ? "" : " @" + name) +
               " yet: it is shown here as soon as a clause has it");
  prompt.watched().begin(std::move(*watched));
}

void log(Prompt& prompt, const std::string& rest) {
  if (rest.empty()) return prompt.complain("log to which file? :log off ends the log");
  if (auto done = prompt.screen().log_to(rest == "off" ? "" : rest); !done) return prompt.complain(done.error());
  prompt.say(rest == "off" ? "the log has ended" : "what is traced and answered is also appended to " + rest);
}

void pause(Prompt& prompt, const std::string&) { prompt.set_gate(Flood::Gate::Paused); }

void quiet(Prompt& prompt, const std::string&) { prompt.set_gate(Flood::Gate::Quiet); }

void resume(Prompt& prompt, const std::string&) { prompt.set_gate(Flood::Gate::Open); }

void rate(Prompt& prompt, const std::string& rest) {
  Flood& flood = prompt.screen().flood();
  if (!rest.empty()) {
    const auto lines = rest == "all" ? 0 : number_of<uint64_t>(rest);
    if (!lines) return prompt.complain("how many lines a second? :rate 200; :rate all shows every line");
    flood.set_rate(*lines);
  }
  prompt.say(flood.rate() == 0 ? "every line is shown" : with_commas(flood.rate()) + " lines a second are shown");
}

void list(Prompt& prompt, const std::string& rest) {
  std::vector<ProbeDescription> descriptions;
  if (!rest.empty()) {
    const auto description = read_description(prompt.with_target(rest));
    if (!description) return prompt.complain("no description of probes: " + rest + "; it has four fields at most");
    descriptions.push_back(*description);
  }
  std::vector<std::string> missing;
  const std::string text = list_probes(prompt.session().framework(), descriptions, {.words_anywhere = true}, missing);
  if (missing.empty()) prompt.screen().answer(text);
  for (const std::string& line : missing) prompt.complain(line);
}

void set(Prompt& prompt, const std::string& rest) {
  if (rest.empty()) return prompt.screen().answer(find_topic("settings")->text());
  if (auto done = prompt.set(rest); !done) return prompt.complain(done.error());
  prompt.say(rest + " is set");
}

void source(Prompt& prompt, const std::string& rest) {
  const std::string_view used = prompt.session().source_name();
  if (rest.empty() || rest == used)
    return prompt.say(used.empty() ? "no event source: no target can be traced"
                                   : "the event source is " + std::string(used));
  if (auto done = prompt.change_source(rest); !done) prompt.complain(done.error());
}

void provider(Prompt& prompt, const std::string& rest) {
  if (rest.empty()) return prompt.complain("load which provider? :provider FILE.so");
  if (auto done = prompt.add_provider(rest); !done) return prompt.complain(done.error());
  prompt.say(rest + " is loaded");
}

void help(Prompt& prompt, const std::string& rest) {
  if (const HelpTopic* topic = find_topic(rest.empty() ? "prompt" : rest)) return prompt.screen().answer(topic->text());
  const auto rows = find_prompt_commands(rest.substr(is_command(rest) ? 1 : 0));
  if (rows.size() != 1) return prompt.complain(no_topic(rest));
  const PromptCommandRow& row = *rows.front();
  prompt.say(":" + std::string(row.name) + (row.value.empty() ? "" : " ") + std::string(row.value) + ": " +
             std::string(row.sentence));
}

void quit(Prompt& prompt, const std::string&) { prompt.end(); }

constexpr std::array kPromptCommands = std::to_array<PromptCommandRow>({
    {"target", "[-t] [NAME:] COMMAND | PID", Completes::Target, target,
     "starts a program (-t: in a terminal of its own), or attaches to one; alone: lists the targets"},
    {"input", "[NAME:] TEXT", Completes::Nothing, input, "types a line into the terminal of a target of :target -t"},
    {"fg", "[NAME]", Completes::Name, to_front, "gives screen and keyboard to a target of :target -t, until Ctrl-]"},
    {"run", "[NAME]", Completes::Name, run_again, "starts the last program again, or that of a name"},
    {"stop", "", Completes::Nothing, stop, "lets the targets go; they run on untraced"},

    {"clauses", "", Completes::Nothing, clauses, "lists the clauses, with their numbers"},
    {"disable", "N | all", Completes::Clause, disable, "disables clause N"},
    {"enable", "N | all", Completes::Clause, enable, "enables clause N again"},
    {"edit", "N", Completes::Clause, edit, "puts the clause back on the line; Enter replaces it"},
    {"save", "FILE", Completes::File, save,
     "writes the enabled clauses, and what :set has changed, to a script, which sonde -s runs as well"},
    {"load", "FILE", Completes::File, load, "enables the clauses of a script, and sets its options"},
    {"list", "[DESCRIPTION]", Completes::Probes, list, "lists probes, as in :list syscall::open*:entry"},

    {"print", "[@NAME]", Completes::Aggregation, print, "prints an aggregation, or all"},
    {"watch", "[@NAME] [TIME] | off", Completes::Aggregation, watch,
     "shows an aggregation again and again in its place, each second or TIME"},
    {"clear", "[@NAME]", Completes::Aggregation, clear, "empties an aggregation, or all; Ctrl-L clears the screen"},
    {"log", "FILE | off", Completes::File, log, "also appends traced output and answers to a file, in full"},
    {"pause", "", Completes::Nothing, pause,
     "holds traced output back, and counts its lines; so does Ctrl-C in a flood"},
    {"resume", "", Completes::Nothing, resume, "shows traced output again, after :pause and :quiet"},
    {"quiet", "", Completes::Nothing, quiet,
     "shows only answers, messages and :watch until :resume; the rest is counted"},
    {"rate", "[N | all]", Completes::Nothing, rate,
     "at most N lines of traced output a second reach the screen, 200 at first; the rest is counted"},

    {"set", "[OPTION[=VALUE]]", Completes::Setting, set, "sets an option of -x; alone: lists them"},
    {"source", "[NAME]", Completes::Source, source,
     "changes the event source: the clauses stay, data and targets do not; alone: says which is used"},
    {"provider", "FILE.so", Completes::File, provider, "loads a provider"},
    {"help", "[TOPIC]", Completes::Topic, help,
     "this text, or one about a topic: :help topics lists them; or about a command"},
    {"quit", "", Completes::Nothing, quit, "ends the session; the targets run on"},
});

/// What people type for a command of ours.
struct OtherName {
  std::string_view other, name;
};
constexpr std::array<OtherName, 4> kOtherNames = {{{"exit", "quit"}, {"quit", "quit"}, {"q", "quit"}, {"?", "help"}}};

/// What people type because gdb or a shell has it, and how it is done here.
/// Providers of other tools (kprobe:) are in compiler/source/other_words.h.
constexpr auto kOfOtherTools = std::to_array<OtherName>({
    {"attach", ":target PID attaches to a process"},
    {"detach", ":stop lets the targets go"},
    {"info", ":clauses lists the clauses, :target the targets, :list DESCRIPTION probes"},
    {"show", ":clauses lists the clauses, :target the targets, :list DESCRIPTION probes"},
    {"status", ":clauses lists the clauses, :target the targets, :source says what traces them"},
    {"ps", ":target lists the targets"},
    {"ls", ":list DESCRIPTION lists probes"},
    {"p", "a clause prints a value: BEGIN { trace(X); }"},
    {"echo", "a clause prints a value: BEGIN { trace(X); }"},
    {"b", "the entry of a function is a probe: pid$target::NAME:entry { ustack(); }"},
    {"break", "the entry of a function is a probe: pid$target::NAME:entry { ustack(); }"},
    {"bt", "a clause has the stack: profile-97 { @[ustack()] = count(); }"},
    {"backtrace", "a clause has the stack: profile-97 { @[ustack()] = count(); }"},
    {"delete", ":disable N takes a clause out, :clauses numbers them"},
    {"undo", ":disable N takes a clause out, :clauses numbers them"},
    {"history", "the arrow keys and Ctrl-R find earlier lines"},
    {"start", ":target COMMAND starts a program"},
    {"strace", ":quit, then sonde PROGRAM shows the calls of a program as strace does"},
});

const OtherName* find_other_name(std::string_view word) {
  const auto found = std::ranges::find(kOtherNames, word, &OtherName::other);
  return found == kOtherNames.end() ? nullptr : found;
}

}  // namespace

std::span<const PromptCommandRow> prompt_commands() { return kPromptCommands; }

std::vector<const PromptCommandRow*> find_prompt_commands(std::string_view name) {
  if (const OtherName* other = find_other_name(name)) name = other->name;
  std::vector<const PromptCommandRow*> found;
  for (const PromptCommandRow& row : kPromptCommands) {
    if (row.name == name) return {&row};
    if (!name.empty() && row.name.starts_with(name)) found.push_back(&row);
  }
  return found;
}

std::string hint_on_word(std::string_view text) {
  const std::string_view word = text.substr(0, text.find_first_of(" \t(;"));
  const auto found = std::ranges::find(kOfOtherTools, word, &OtherName::other);
  return found == kOfOtherTools.end() ? "" : std::string(found->name);
}

bool is_command(std::string_view text) { return text.starts_with(':') && !text.starts_with("::"); }

std::string with_colon(const std::string& text) {
  const size_t end = std::min(text.find_first_of(" \t("), text.size());
  const std::string word = text.substr(0, end), rest = text.substr(end);
  if (const OtherName* other = find_other_name(word); other != nullptr)
    return rest.empty() || rest == "()" || rest == "(0)" ? ":" + std::string(other->name) : "";
  if (text.find_first_of("{\n") != text.npos) return {};
  const std::vector<const PromptCommandRow*> rows = find_prompt_commands(word);
  if (rows.size() != 1 || rows.front()->name != word) return {};
  const Completes what = rows.front()->completes;
  const bool takes_path = what == Completes::Target || what == Completes::File || what == Completes::Setting;
  const bool is_d = rest.starts_with('(') || (!takes_path && rest.find('/') != rest.npos);  // an action, a predicate
  return is_d ? "" : ":" + text;
}

}  // namespace sonde
