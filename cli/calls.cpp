// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/calls.h"

#include <signal.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <map>
#include <memory>

#include "runtime/process/syscall_table.h"
#include "runtime/syscall/shape.h"

namespace sonde {
namespace {

std::string quoted_in_d(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else if (c == '\033')
      out += "\\033";
    else
      out += c;
  }
  return out + "\"";
}

CallPlaces places_of(const std::string& name) {
  CallPlaces places;
  const SyscallInfo* call = find_syscall(name);
  const CallShape* shape = call == nullptr ? nullptr : find_shape(call->number);
  for (size_t i = 0; shape != nullptr && i < 6; i++) {
    const ArgumentShape& argument = shape->arguments[i];
    const auto bit = static_cast<uint8_t>(1u << i);
    if (argument.form == Form::as_path && !argument.out) places.paths |= bit;
    if (argument.form == Form::as_fd || argument.form == Form::as_dirfd) places.descriptors |= bit;
  }
  return places;
}

/// As given, and without symbolic links.
std::vector<std::string> forms_of(const std::vector<std::string>& paths) {
  std::vector<std::string> forms = paths;
  for (const std::string& path : paths) {
    const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
    if (real && path != real.get()) forms.emplace_back(real.get());
  }
  return forms;
}

std::string names_one_of(const CallPlaces& places, const std::vector<std::string>& paths) {
  std::string text;
  const auto add = [&](const std::string& expression) { text += (text.empty() ? "" : " || ") + expression; };
  for (int i = 0; i < 6; i++) {
    const std::string argument = "arg" + std::to_string(i);
    for (const std::string& path : paths) {
      if ((places.descriptors >> i & 1) != 0) add("__fdpath[(int)" + argument + "] == " + quoted_in_d(path));
      if ((places.paths >> i & 1) != 0)
        add("(" + argument + " != 0 && copyinstr(" + argument + ") == " + quoted_in_d(path) + ")");
    }
  }
  return text;
}

bool is_traced(const CallList& list, std::string_view name) {
  return list.trace.all || std::ranges::find(list.trace.names, name) != list.trace.names.end();
}

/// Of which returns something is shown: not of a new process's own from fork.
std::string predicate_of_returns(const CallList& list) {
  std::string predicate =
      "(arg1 != 0 || (probefunc != \"clone\" && probefunc != \"clone3\" && probefunc != \"fork\" && probefunc != "
      "\"vfork\"))";
  if (!list.paths.empty()) predicate = "self->entered && " + predicate;
  if (!list.failed) predicate = "errno == 0 && " + predicate;
  if (!list.successful) predicate = "errno != 0 && " + predicate;
  return predicate;
}

/// What was done to the call that returns: a string of D.
std::string injection_of_call() {
  return "strjoin(self->sonde_injected && (errno ? -errno : (int64_t)arg1) == self->sonde_result ? \" (INJECTED)\" "
         ": \"\", "
         "self->sonde_delayed ? \" (DELAYED)\" : \"\")";
}

/// A clause at the chosen signals.
std::string signals_of(const CallList& list, const std::string& statements) {
  const auto chosen = parse_signals(list.signals);
  if (!chosen || chosen->empty()) return "";
  std::string predicate;
  if (list.signals != "all")
    for (const int number : *chosen)
      predicate += (predicate.empty() ? "arg0 == " : " || arg0 == ") + std::to_string(number);
  return "signal:::deliver,\nsignal:::discard\n" + (predicate.empty() ? "" : "/" + predicate + "/\n") + "{\n" +
         statements + "}\n";
}

/// The list for a timeline: both ends of a call record what a viewer shows, as values that are named.
class TimelineWriter {
 public:
  explicit TimelineWriter(const CallList& list) : list_(list) {}

  std::string write() {
    text_ = "inline string arguments = argstr;\ninline string result = retstr;\ninline string what = argstr;\n";
    if (shows_both_ends()) text_ += entries_of(calls_that_return(list_.trace), list_.paths, entry());
    for (const char* name : {"exit", "exit_group"})
      if (list_.unfinished && list_.paths.empty() && is_traced(list_, name))
        text_ += call_descriptions({name}, "entry") + "\n{\n\ttrace(arguments);\n" + stack() + "}\n";
    returns();
    text_ += signals_of(list_, "\ttrace(what);\n" + stack());
    text_ += "proc:::lwp-exit\n/tid != pid/\n{\n\ttrace(what);\n}\nproc:::exit\n{\n\ttrace(what);\n}\n";
    return std::move(text_);
  }

 private:
  /// Whether the call is shown is known at its return, so a choice by its end has no slices.
  bool shows_both_ends() const { return list_.successful && list_.failed; }
  std::string entry() const {
    return std::string(list_.paths.empty() ? "" : "\tself->entered = 1;\n") + "\ttrace(cpu);\n";
  }
  std::string stack() const { return list_.stacks ? "\tustack();\n" : ""; }

  void returns() {
    const CallSet returning = calls_that_return(list_.trace);
    if (returning.none() || (!list_.successful && !list_.failed)) return;
    if (!list_.paths.empty() && !shows_both_ends())
      text_ += entries_of(returning, list_.paths, "\tself->entered = 1;\n");
    const std::string descriptions = call_descriptions(returning.names, "return");
    text_ += descriptions + "\n/" + predicate_of_returns(list_) + "/\n{\n\ttrace(arguments);\n\ttrace(result);\n";
    if (list_.injects) text_ += "\tthis->injection = " + injection_of_call() + ";\n\ttrace(this->injection);\n";
    text_ += stack() + "}\n";
    if (!list_.paths.empty()) text_ += descriptions + "\n{\n\tself->entered = 0;\n}\n";
  }

  const CallList& list_;
  std::string text_;
};

class Writer {
 public:
  explicit Writer(const CallList& list) : list_(list) {}

  std::string write() {
    text_ = "int born, attached;\nint64_t last;\n";
    for (const char* number : {"tid", "pid"}) name_thread(number);
    if (list_.several) text_ += "BEGIN\n{\n\tattached = 1;\n}\n";
    text_ += "proc:::lwp-start\n{\n\tself->born = 1;\n\tborn++;\n}\n";
    entries();
    ends_of_threads();
    returns();
    text_ += signals_of(list_, line(kNow, "\tprintf(\"%s--- %s ---\\n\", " + head("tid") + ", argstr);\n") + stack());
    text_ += "proc:::lwp-exit\n/tid != pid/\n{\n" + line(kNow, end_of("tid")) + "\tborn--;\n}\n";
    text_ += "proc:::exit\n{\n" + line(kNow, end_of("pid")) + "\tborn--;\n}\n";
    return std::move(text_);
  }

 private:
  static constexpr char kNow[] = "timestamp";
  /// An entry that was not seen, as that of the exec that starts a program, has the time of the return.
  static constexpr char kEntry[] = "(self->entered ? self->entered : timestamp)";

  /// The entry of a call is traced only for its time, and for the paths that it names.
  void entries() {
    if (list_.trace.all ? false : list_.trace.names.empty()) return;
    if (list_.shows_times() || !list_.paths.empty())
      text_ += entries_of(list_.trace, list_.paths, "\tself->entered = timestamp;\n");
  }

  /// exit() and exit_group() do not return.
  void ends_of_threads() {
    std::vector<std::string> names;
    for (const char* name : {"exit", "exit_group"})
      if (is_traced(list_, name)) names.emplace_back(name);
    if (names.empty() || !list_.unfinished || !list_.paths.empty()) return;
    text_ += call_descriptions(names, "entry") + "\n{\n" +
             line(kNow, "\tprintf(\"" + call_format() + " = ?\\n\", " + call() + ");\n") + stack() + "}\n";
  }

  void returns() {
    const CallSet returning = calls_that_return(list_.trace);
    if (returning.none() || (!list_.successful && !list_.failed)) return;
    const std::string descriptions_of_returns = call_descriptions(returning.names, "return");
    text_ += descriptions_of_returns + "\n/" + predicate_of_returns(list_) + "/\n{\n";
    text_ += line(kEntry, "\tprintf(\"" + call_format() + " = " + result_format() + (list_.injects ? "%s" : "") +
                              (list_.duration_digits >= 0 ? "%s" : "") + "\\n\", " + call() + ", " + result() +
                              injected() + duration() + ");\n");
    text_ += stack() + "}\n";
    if (list_.shows_times() || !list_.paths.empty())
      text_ += descriptions_of_returns + "\n{\n\tself->entered = 0;\n}\n";
  }

  /// The statements that print a line. `when`: the time that it shows.
  std::string line(const std::string& when, const std::string& print) const {
    std::string text;
    if (list_.attaches) text += "\tattached = attached || (tid != $target && !self->born);\n";
    if (list_.shows_times()) text += "\tthis->when = (int64_t)" + when + ";\n";
    if (list_.relative_digits >= 0) text += "\tthis->since = last ? this->when - last : 0;\n\tlast = this->when;\n";
    if (!list_.separately.empty()) text += "\tfreopen(\"%s.%d\", " + quoted_in_d(list_.separately) + ", tid);\n";
    return text + print;
  }

  std::string end_of(const char* number) const {
    return "\tprintf(\"%s+++ %s +++\\n\", " + head(number) + ", argstr);\n";
  }

  /// The format of call(): at least 39 columns, which colour does not count for.
  std::string call_format() const { return list_.look.is_rich() ? "%s%s%s%s%s%s%-*s" : "%-39s"; }

  std::string call() const {
    const std::string arguments = "strjoin(\"(\", strjoin(argstr, \")\"))";
    if (!list_.look.is_rich()) return "strjoin(" + head("tid") + ", strjoin(probefunc, " + arguments + "))";
    const std::string taken = "(int)(strlen(" + head("tid") + ") + strlen(probefunc))";
    return painted(Style::Thread) + ", " + head("tid") + ", " + plain() + ", " + painted(Style::Call) +
           ", probefunc, " + plain() + ", " + taken + " < 39 ? 39 - " + taken + " : 0, " + arguments;
  }

  std::string result_format() const { return list_.look.is_rich() ? "%s%s%s" : "%s"; }

  std::string result() const {
    if (!list_.look.is_rich()) return "retstr";
    return "errno != 0 ? " + painted(Style::Failed) + " : \"\", retstr, errno != 0 ? " + plain() + " : \"\"";
  }

  /// As strings of D: what begins a style, and what ends it.
  std::string painted(Style style) const { return quoted_in_d(list_.look.begin(style)); }
  std::string plain() const { return quoted_in_d(list_.look.end()); }

  /// An inline without parameters: ANTLR would have to predict those, which takes longer than all of the rest's parse.
  void name_thread(const std::string& number) {
    text_ += "inline string named_" + number + " = ";
    const std::string named =
        list_.names.value_or(false) ? "strjoin(\"<\", strjoin(__escaped(execname), \">] \"))" : "\"] \"";
    text_ += list_.separately.empty() ? "born > 0 || attached ? strjoin(\"[pid \", strjoin(lltostr(" + number + "), " +
                                            named + ")) : \"\";\n"
                                      : "\"\";\n";
  }

  /// What a line begins with: the thread's number and times.
  std::string head(const std::string& number) const {
    std::string text = "named_" + number;
    const auto add = [&](const std::string& more) { text = "strjoin(" + text + ", " + more + ")"; };
    const std::string digits = std::to_string(list_.clock_digits);
    const std::string wall = "walltimestamp - ((int64_t)timestamp - this->when), " + digits;
    if (list_.clock == CallList::Clock::TimeOfDay) add("strjoin(__clock(" + wall + "), \" \")");
    if (list_.clock == CallList::Clock::Epoch) add("strjoin(__seconds(" + wall + ", 0), \" \")");
    if (list_.relative_digits < 0) return text;
    const std::string since = list_.units ? "__duration(this->since, 9)"
                                          : "__seconds(this->since, " + std::to_string(list_.relative_digits) + ", 6)";
    add(list_.clock == CallList::Clock::None ? "strjoin(" + since + ", \" \")"
                                             : "strjoin(\"(+\", strjoin(" + since + ", \") \"))");
    return text;
  }

  std::string injected() const { return list_.injects ? ", " + injection_of_call() : ""; }

  std::string duration() const {
    if (list_.duration_digits < 0) return "";
    const std::string spent = "(int64_t)(timestamp - self->entered), ";
    const std::string text = list_.units ? "__duration(" + spent + "0)"
                                         : "__seconds(" + spent + std::to_string(list_.duration_digits) + ", 0)";
    return ", self->entered ? strjoin(\" <\", strjoin(" + text + ", \">\")) : \"\"";
  }

  std::string stack() const { return list_.stacks ? "\tustack();\n" : ""; }

  const CallList& list_;
  std::string text_;
};

/// 0: it is none.
int number_of_signal(std::string_view name) {
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error == std::errc() && end == name.data() + name.size()) return number > 0 && number < NSIG ? number : 0;
  std::string bare(name.substr(name.starts_with("SIG") || name.starts_with("sig") ? 3 : 0));
  std::ranges::transform(bare, bare.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (bare.starts_with("RT_")) return number_of_signal(std::to_string(32 + std::atoi(bare.c_str() + 3)));
  for (int i = 1; i < NSIG; i++)
    if (const char* known = ::sigabbrev_np(i); known != nullptr && bare == known) return i;
  return 0;
}

}  // namespace

std::string call_descriptions(const std::vector<std::string>& names, const char* side) {
  if (names.empty()) return std::string("syscall:::") + side;
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "syscall::" : ",\nsyscall::") + name + ":" + side;
  return text;
}

CallSet calls_that_return(CallSet calls) {
  std::erase_if(calls.names, [](const std::string& name) { return name == "exit" || name == "exit_group"; });
  return calls;
}

std::string entries_of(const CallSet& calls, const std::vector<std::string>& paths, const std::string& statements) {
  const std::string body = "{\n" + statements + "}\n";
  if (calls.none()) return "";
  if (paths.empty()) return call_descriptions(calls.names, "entry") + "\n" + body;
  const std::vector<std::string> forms = forms_of(paths);
  std::string text;
  for (const auto& [places, names] : calls_with_places(calls))
    text += call_descriptions(names, "entry") + "\n/" + names_one_of(places, forms) + "/\n" + body;
  return text;
}

std::map<CallPlaces, std::vector<std::string>> calls_with_places(const CallSet& calls) {
  std::vector<std::string> names = calls.names;
  if (calls.all)
    for (const SyscallInfo& call : syscall_table()) names.emplace_back(call.name);
  std::map<CallPlaces, std::vector<std::string>> found;
  for (std::string& name : names)
    if (const CallPlaces places = places_of(name); places != CallPlaces()) found[places].push_back(std::move(name));
  return found;
}

Result<std::vector<int>> parse_signals(std::string_view text) {
  const bool others = text.starts_with('!');
  if (others) text.remove_prefix(1);
  std::vector<bool> chosen(NSIG, text == "all");
  for (const std::string_view item : items_of(text)) {
    if (item == "all" || item == "none") continue;
    const int number = number_of_signal(item);
    if (number == 0) return Error("no signal '" + std::string(item) + "'", EINVAL);
    chosen[static_cast<size_t>(number)] = true;
  }
  std::vector<int> numbers;
  for (int i = 1; i < NSIG; i++)
    if (chosen[static_cast<size_t>(i)] != others) numbers.push_back(i);
  return numbers;
}

std::string off_cpu_script(const CallList& list) {
  const CallSet calls = calls_that_return(list.trace);
  if (calls.none()) return "BEGIN\n{\n}\n";
  return entries_of(calls, list.paths, "\tself->entered = timestamp;\n") + call_descriptions(calls.names, "return") +
         "\n/self->entered && probefunc != \"execve\" && probefunc != \"execveat\"/\n{\n\t@[execname, ustack()] = "
         "sum(timestamp - self->entered);\n}\n" +
         call_descriptions(calls.names, "return") + "\n{\n\tself->entered = 0;\n}\n";
}

std::string calls_script(const CallList& list) {
  return list.timeline ? TimelineWriter(list).write() : Writer(list).write();
}

}  // namespace sonde
