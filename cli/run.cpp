// SPDX-License-Identifier: GPL-3.0-or-later
// From the command line to the exit status
//
//   arguments --> options --> Session --> texts --> targets --> compile --> list, disassemble, trace or prompt
//
// Between prepare_targets() and Session::start(), programs of -c wait at their exec. They must not run untraced, so
// code that gives up in between must return through given_up(), or call Targets::kill_waiting().
//
// sonde may end by a signal: that of its traced program, or SIGPIPE. run_command() raises it after the Run was
// destroyed: then the source is closed, and what still runs is untraced.
#include "cli/run.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <optional>

#include "cli/arguments.h"
#include "cli/calls.h"
#include "cli/check_provider.h"
#include "cli/completion.h"
#include "cli/help.h"
#include "cli/listing.h"
#include "cli/output.h"
#include "cli/prompt.h"
#include "cli/session.h"
#include "cli/sources.h"
#include "cli/summary.h"
#include "compiler/library/library.h"
#include "runtime/base/interrupt.h"
#include "runtime/lang/option_hint.h"
#include "runtime/plugin/plugins.h"

namespace sonde {

namespace {

constexpr int kFatal = 1;
constexpr int kUsage = 2;

/// Puts "sonde: " before each of several messages; continuation lines are indented.
std::string prefixed(std::string_view message) {
  std::string text;
  for (size_t begin = 0; begin <= message.size();) {
    size_t end = std::min(message.find('\n', begin), message.size());
    std::string_view line = message.substr(begin, end - begin);
    bool goes_on = line.empty() || line[0] == ' ' || line[0] == '\t';
    if (!goes_on) text += program_name() + ": ";
    text += std::string(line) + "\n";
    begin = end + 1;
  }
  return text;
}

/// Prints "sonde: MESSAGE" and returns the status of a fatal error.
int fatal(std::string_view message) {
  while (message.ends_with('\n')) message.remove_suffix(1);
  std::fflush(stdout);
  std::fputs(prefixed(message).c_str(), stderr);
  return kFatal;
}

Result<void> apply_settings(Options& options, const Arguments& arguments) {
  if (auto done = options.set_from_environment(environ); !done) return done;
  for (const auto& [name, value, typed] : arguments.settings) {
    if (auto done = options.set(name, value, false, false); !done) {
      const std::string hint = hint_on_option(name, value);
      return Error("failed to set " + (typed.empty() ? "-x " + name : typed) + ": " + done.error().message() +
                       (hint.empty() ? "" : "\n    " + hint),
                   EINVAL);
    }
  }
  return {};
}

/// What a command line asks for that only prints a text; nothing: it asks for more.
std::optional<Result<std::string>> text_asked_for(const Arguments& arguments) {
  if (std::ranges::find(arguments.settings, "help", &Arguments::Setting::name) != arguments.settings.end())
    return find_topic("settings")->text();
  if (arguments.mode == Mode::Version) return std::string("sonde: Sonde " SONDE_VERSION "\n");
  if (arguments.mode == Mode::Completion) {
    const std::string text = completion(arguments.topic);
    if (text.empty()) return Error("--completion=" + arguments.topic + ": " + std::string(completed_shells()), EINVAL);
    return text;
  }
  if (arguments.mode != Mode::Help) return std::nullopt;
  if (arguments.topic.empty()) return help();
  const HelpTopic* topic = find_topic(arguments.topic);
  if (topic == nullptr) return Error(no_topic(arguments.topic), EINVAL);
  return topic->text();
}

FoundPlugins provider_files(const std::vector<std::string>& named) {
  const char* path = ::secure_getenv("SONDE_PROVIDER_PATH");
  return find_plugins(named, path == nullptr ? "" : path, installed_plugins());
}

/// Carries out one command line.
class Run {
 public:
  Run(Arguments arguments, Options& options, FileOutput& output)
      : arguments_(std::move(arguments)),
        options_(options),
        output_(output),
        plugins_(provider_files(arguments_.providers)) {}

  /// What no function expects to fail, memory and threads, ends the run with a message.
  int run() {
    try {
      return run_session();
    } catch (const std::bad_alloc&) {
      return given_up("out of memory");
    } catch (const std::exception& error) {
      return given_up(error.what());
    }
  }

  /// The wait status of the program that was traced without a script; or, if a signal to us ended the run before the
  /// program ended, that signal.
  std::optional<int> program_end() const { return end_; }

 private:
  int run_session() {
    bool prompt = arguments_.mode == Mode::Prompt;
    auto session =
        Session::create(options_, output_, prompt || has_targets() || name_processes(arguments_.programs), prompt);
    if (!session) return fatal(session.error().message());
    session_ = std::move(*session);
    session_->framework().listing = arguments_.mode == Mode::List;
    // Not earlier: programs that the guard starts must get the signal dispositions that we were given.
    if (prompt || arguments_.mode == Mode::Trace) catch_interrupts();
    if (auto done = check_format(); !done) return fatal(done.error().message());
    load_plugins();
    if (auto done = open_output(); !done) return fatal(done.error().message());
    return carry_out();
  }

  void load_plugins() {
    plugins_.start(session_->framework());
    for (const std::string& line : plugins_.left_out()) output_.message(line);
    for (const auto& [file, text] : plugins_.texts()) add_library_part(file, text);
  }

  bool has_targets() const { return !arguments_.commands.empty() || !arguments_.pids.empty(); }

  bool is_text() const { return options_.text("format") == "text"; }

  /// Checks for options whose output exists only as text.
  Result<void> check_format() {
    if (is_text() && !options_.text("temporality").empty())
      return Error(
          "temporality=" + options_.text("temporality") + ": text shows aggregations as they are; see -x format",
          EINVAL);
    if (is_text()) return {};
    const std::string format = "format=" + options_.text("format");
    if (arguments_.mode == Mode::Prompt) return Error(format + ": the prompt prints text", EINVAL);
    if (const char* option = prints_text()) return Error(format + ": " + option + " prints text", EINVAL);
    return {};
  }

  bool disassembles() const { return arguments_.disassemble || options_.flag("verbose"); }

  /// The option whose output exists only as text; null: none is given.
  const char* prints_text() const {
    if (arguments_.summary) return "--summary";
    if (arguments_.mode == Mode::List) return "-l";
    if (disassembles()) return "-S";
    return arguments_.verbose ? "-v" : nullptr;
  }

  Result<void> open_output() {
    if (arguments_.output.empty()) {
      // as in strace: keeps it apart from the program's own output. In other formats, messages must be kept apart from it
      if (arguments_.no_script && is_text())
        output_.redirect(UniqueFd(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)), "standard error");
      return {};
    }
    auto file = FileOutput::open_file(arguments_.output);
    if (!file) return std::move(file).error();
    output_.redirect(std::move(*file), arguments_.output);
    reopen_at_sighup();
    return {};
  }

  int carry_out() {
    auto texts = read_sources(arguments_.programs, options_);
    if (!texts) return fatal(texts.error().message());
    if (arguments_.summary && (arguments_.no_script || arguments_.mode == Mode::Prompt || !texts->empty()))
      texts->push_back({SourceText::Kind::Name, "--summary", kSummaryScript, {}});
    else if (arguments_.no_script)
      texts->push_back({SourceText::Kind::Name, "calls", kCallsScript, {}});
    if (texts->empty() && arguments_.mode == Mode::List) return list({});
    if (texts->empty() && arguments_.mode == Mode::CompileOnly) {
      if (arguments_.words.empty()) return 0;
      return fatal(
          "no probes specified\n    -e compiles what -n and -s name; the calls of a program: sonde PROGRAM ARGS");
    }
    if (texts->empty() && arguments_.mode != Mode::Prompt)
      return fatal("no probes specified\n    say what to trace by -n or -s; --help shows how");

    MacroValues macros{texts->empty() ? "" : texts->front().name, arguments_.words, 0};
    if (auto done = session_->prepare_targets(arguments_.commands, arguments_.pids, *texts, macros); !done)
      return given_up(done.error().message());
    auto compiled = session_->compile(*texts, macros);
    if (!compiled) return given_up(compiled.error().message());
    return use(*texts, *compiled);
  }

  int use(const std::vector<SourceText>& texts, const std::vector<CompiledText>& compiled) {
    if (disassembles())
      for (const CompiledText& text : compiled) output_.write(session_->compiler().disassembly(text));
    if (arguments_.verbose && arguments_.mode != Mode::List) report_stability(texts, compiled);
    switch (arguments_.mode) {
      case Mode::CompileOnly: session_->targets().kill_waiting(); return 0;
      case Mode::List: return list(compiled);
      case Mode::Trace:
      case Mode::Prompt: return trace(texts, compiled);
      case Mode::Version:
      case Mode::CheckProvider:
      case Mode::Completion:
      case Mode::Help: return 0;
    }
    return kFatal;
  }

  int trace(const std::vector<SourceText>& texts, const std::vector<CompiledText>& compiled) {
    auto& clauses = session_->program().clauses;
    const bool destructive = std::ranges::any_of(clauses, &ClauseDesc::destructive);
    announce(texts, compiled, destructive && options_.flag("destructive"));
    if (clauses.empty() && arguments_.mode == Mode::Trace)
      return given_up("no probes matched\n    the script holds no probe description");
    if (destructive && !options_.flag("destructive"))
      return given_up("could not enable tracing: Destructive actions not allowed\n    -w allows them");
    if (arguments_.mode == Mode::Trace) output_.write_behind(options_.number("outbufsize"));
    if (auto done = session_->start(compiled); !done)
      return given_up("could not enable tracing: " + done.error().message());
    if (arguments_.summary)
      session_->tracing().set_end(table_of_calls, !arguments_.no_script);
    else if (arguments_.no_script)
      session_->tracing().set_end({}, false);
    if (arguments_.mode == Mode::Prompt) {
      const std::span<const CompiledText> given(compiled);
      return run_prompt(*session_, options_, output_, given.first(given.size() - (arguments_.summary ? 1 : 0)));
    }
    if (arguments_.no_script || !options_.flag("quiet")) session_->tracing().report_cost();
    if (arguments_.no_script) {
      for (uint32_t pid : session_->targets().noted())
        output_.message("process " + std::to_string(pid) + " attached; Ctrl-C lets it go");
      if (!arguments_.summary && is_text()) session_->show_calls_under_way();
    }
    const int status = session_->run();
    if (arguments_.no_script && !arguments_.commands.empty()) {
      end_ = session_->targets().end_of_program();
      if (!end_ && interrupted()) end_ = interrupting_signal();
    }
    return status;
  }

  void announce(const std::vector<SourceText>& texts, const std::vector<CompiledText>& compiled, bool destructive) {
    for (const std::string& remark : arguments_.remarks) output_.message(remark);
    if (options_.flag("quiet")) return;
    for (size_t i = 0; i + (arguments_.summary ? 1 : 0) < texts.size(); i++) {
      uint32_t matched = compiled[i].matched;
      output_.message(describe(texts[i]) + " matched " + std::to_string(matched) +
                      (matched == 1 ? " probe" : " probes"));
    }
    if (destructive) output_.message("allowing destructive actions");
  }

  std::vector<ProbeDescription> descriptions_of(const CompiledText& text) {
    std::vector<ProbeDescription> all;
    for (uint32_t i = text.first; i < text.first + text.count; i++) {
      if (session_->program().clauses[i].hidden) continue;
      const auto& of_clause = session_->program().clauses[i].descriptions;
      all.insert(all.end(), of_clause.begin(), of_clause.end());
    }
    return all;
  }

  void report_stability(const std::vector<SourceText>& texts, const std::vector<CompiledText>& compiled) {
    for (size_t i = 0; i < texts.size(); i++) {
      output_.write(stability_report(session_->framework(), describe(texts[i]), descriptions_of(compiled[i]),
                                     compiled[i].attributes));
    }
  }

  int list(const std::vector<CompiledText>& compiled) {
    std::vector<ProbeDescription> descriptions;
    for (const CompiledText& text : compiled)
      for (ProbeDescription& one : descriptions_of(text)) descriptions.push_back(std::move(one));
    std::vector<std::string> missing;
    output_.write(
        list_probes(session_->framework(), descriptions, {arguments_.verbose, arguments_.lists_words}, missing));
    for (const std::string& text : missing) output_.message(text);
    session_->targets().kill_waiting();
    return 0;
  }

  /// Handles a fatal error when targets may already wait at their exec.
  int given_up(const std::string& message) {
    if (session_) session_->targets().kill_waiting();
    output_.settle();
    return fatal(message);
  }

  Arguments arguments_;
  Options& options_;
  FileOutput& output_;
  Plugins plugins_;  ///< tried before the session exists, so that their children inherit nothing of it
  std::unique_ptr<Session> session_;
  std::optional<int> end_;
};

/// Ends this process by a signal. Call it when the targets run untraced.
[[noreturn]] void end_by(int signal) {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
  ::_exit(128 + signal);
}

/// What was printed to standard output did not get there.
int unwritten() { return fatal(std::string("failed to write to standard output: ") + std::strerror(errno)); }

/// The exit status: `status`, or kFatal if output could not be written or a target came to harm. Does not return if the
/// reader of our pipe has gone: we end by SIGPIPE, as other programs do.
int finished(FileOutput& output, int status) {
  output.finish();
  if (output.reader_gone()) end_by(SIGPIPE);
  return output.failed() || output.harmed() ? kFatal : status;
}

/// If a program was traced without a script, we end in the same way as it did.
int ended_as(std::optional<int> program, int status) {
  if (status != 0 || !program) return status;
  if (WIFSIGNALED(*program)) end_by(WTERMSIG(*program));
  return WEXITSTATUS(*program);
}

}  // namespace

int run_command(int argc, char** argv) {
  set_program_name(argc > 0 ? argv[0] : "sonde");
  Arguments arguments;
  BadArguments bad;
  if (argc == 1 && ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1) {
    arguments.mode = Mode::Prompt;
  } else if (!parse_arguments(argc, argv, arguments, bad)) {
    if (!bad.message.empty()) fatal(bad.message);
    if (bad.usage) std::fputs(usage().c_str(), stderr);
    return bad.usage ? kUsage : kFatal;
  }
  FileOutput output;
  if (const auto text = text_asked_for(arguments)) {
    if (!*text) return fatal(text->error().message());
    output.write(**text);
    return finished(output, 0);
  }
  Options options;
  if (arguments.no_script) {
    for (auto [name, value] : kCallsSettings)
      arguments.settings.insert(arguments.settings.begin(), Arguments::Setting{name, value});
  }
  if (auto done = apply_settings(options, arguments); !done) return fatal(done.error().message());
  if (arguments.mode == Mode::CheckProvider) {
    const int status = check_provider(arguments, options);
    return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 ? status : unwritten();
  }
  auto run = std::make_unique<Run>(std::move(arguments), options, output);
  int status = run->run();
  const std::optional<int> end = run->program_end();
  run.reset();
  status = finished(output, status);
  return ended_as(end, status);
}

}  // namespace sonde
