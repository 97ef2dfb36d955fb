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
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iterator>
#include <new>
#include <optional>

#include "cli/arguments.h"
#include "cli/built_in.h"
#include "cli/calls.h"
#include "cli/check_provider.h"
#include "cli/completion.h"
#include "cli/diagnostics.h"
#include "cli/doctor.h"
#include "cli/header.h"
#include "cli/help.h"
#include "cli/listing.h"
#include "cli/output.h"
#include "cli/pager.h"
#include "cli/prompt/handed_over.h"
#include "cli/prompt/prompt.h"
#include "cli/prompt/screen.h"
#include "cli/prompt/watch.h"
#include "cli/session.h"
#include "cli/sources.h"
#include "cli/summary.h"
#include "cli/tool_help.h"
#include "cli/tools/tools.h"
#include "cli/trimmed.h"
#include "cli/unfired.h"
#include "cli/why.h"
#include "cli/words.h"
#include "compiler/library/library.h"
#include "runtime/base/interrupt.h"
#include "runtime/base/progress.h"
#include "runtime/lang/option_hint.h"
#include "runtime/plugin/plugins.h"
#include "runtime/print/printers.h"

namespace sonde {

namespace {

constexpr int kFatal = 1;
constexpr int kUsage = 2;

/// Prints "sonde: MESSAGE" and returns the status of a fatal error.
int fatal(std::string_view message) {
  hide_progress();
  std::fflush(stdout);
  std::fputs(fatal_text(message, Look::of(STDERR_FILENO)).c_str(), stderr);
  return kFatal;
}

/// Options of -x for a compiler's or a linker's work are DTrace's; those of -h and -G need none of them.
Result<void> apply_settings(Options& options, const Arguments& arguments) {
  if (auto done = options.set_from_environment(environ); !done) return done;
  const bool builds = arguments.mode == Mode::Header || arguments.mode == Mode::Object;
  for (const auto& [name, value, typed] : arguments.settings) {
    if (auto done = options.set(name, value, false, false); !done && !(builds && typed.empty())) {
      const std::string hint = hint_on_option(name, value);
      return Error("failed to set " + (typed.empty() ? "-x " + name : typed) + ": " + done.error().message() +
                       (hint.empty() ? "" : "\n    " + hint),
                   EINVAL);
    }
  }
  return {};
}

Result<std::string> text_on_tool(const Arguments& arguments) {
  const auto header = arguments.tool.empty() ? ScriptHeader() : read_script_header(arguments.tool);
  if (!header) return header.error();
  const BuiltIn* own = arguments.built_in;
  if (arguments.topic.empty()) return header->exists() ? tool_help(*header) : tool_help(*own);
  if (arguments.topic == "man") return header->exists() ? tool_man_page(*header) : tool_man_page(*own);
  return Error("--help=" + arguments.topic + ": behind a tool it is --help, or --help=man for its manual page", EINVAL);
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
  if (!arguments.tool.empty() || arguments.named_built_in) return text_on_tool(arguments);
  if (arguments.topic.empty()) return help();
  const HelpTopic* topic = find_topic(arguments.topic);
  if (topic == nullptr) {
    if (const BuiltIn* own = find_built_in(arguments.topic)) return tool_help(*own);
    const auto tool = find_tool(arguments.topic);
    const auto header = tool ? read_script_header(*tool) : ScriptHeader();
    if (header && header->exists()) return tool_help(*header);
    return Error(no_topic(arguments.topic), EINVAL);
  }
  return topic->text();
}

FoundPlugins provider_files(const std::vector<std::string>& named) {
  const char* path = ::secure_getenv("SONDE_PROVIDER_PATH");
  return find_plugins(named, path == nullptr ? "" : path, installed_plugins());
}

/// Carries out one command line.
class Run {
 public:
  /// `handed`: by the sonde whose prompt goes on here.
  Run(Arguments arguments, Options& options, FileOutput& output, std::optional<HandedOver> handed)
      : arguments_(std::move(arguments)),
        options_(options),
        output_(output),
        plugins_(provider_files(arguments_.providers)),
        handed_(std::move(handed)) {}

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
  /// What a new sonde goes on with, if the prompt has asked for one.
  const std::optional<HandedOver>& hands_over() const { return hands_over_; }

 private:
  using Names = std::vector<std::string>;

  int run_session() {
    bool prompt = arguments_.mode == Mode::Prompt;
    if (auto done = settle_units(); !done) return fatal(done.error().message());
    if (auto done = settle_source(); !done) return fatal(done.error().message());
    auto texts = read_sources(arguments_.programs, options_);  // once: standard input cannot be read again
    if (!texts) return fatal(texts.error().message());
    const bool traces = arguments_.mode == Mode::Trace && !arguments_.disassemble;
    const MacroValues macros = macro_values(*texts);
    const bool has_processes = prompt || arguments_.has_targets() || name_processes(*texts, macros);
    auto session =
        Session::create(options_, output_, has_processes, prompt, traces ? providers_to_trace(*texts, macros) : Names(),
                        handed_ ? handed_->terminals : Names());
    if (!session) return fatal(session.error().message());
    session_ = std::move(*session);
    if (arguments_.verbose && traces && !session_->source_name().empty()) report_source();
    session_->framework().listing = arguments_.mode == Mode::List;
    // Not earlier: programs that the guard starts must get the signal dispositions that we were given.
    if (prompt || arguments_.mode == Mode::Trace) catch_interrupts();
    if (auto done = check_format(); !done) return fatal(done.error().message());
    if (!arguments_.injections.empty())
      if (auto done = check_injects(session_->source_name(), session_->framework().capabilities()); !done)
        return fatal(done.error().message());
    load_plugins();
    if (auto done = open_output(); !done) return fatal(done.error().message());
    return carry_out(std::move(*texts));
  }

  /// As the texts name them, and where nobody is a target, the built-in tool: then they decide on the source.
  Names providers_to_trace(const std::vector<SourceText>& texts, const MacroValues& macros) const {
    Names names = providers_named(texts, macros);
    const BuiltIn* tool = arguments_.built_in;
    if (tool == nullptr || arguments_.has_targets()) return names;
    const std::string script = tool->script(arguments_.calls, arguments_.summary);
    for (std::string& name : providers_named({{SourceText::Kind::Name, tool->typed(), script}}, macros))
      names.push_back(std::move(name));
    return names;
  }

  void report_source() {
    const std::string& why = session_->why_source();
    output_.message("the source is " + std::string(session_->source_name()) + (why.empty() ? "" : ": " + why));
  }

  void load_plugins() {
    plugins_.start(session_->framework());
    for (const std::string& line : plugins_.left_out()) output_.message(line);
    for (const auto& [file, text] : plugins_.texts()) add_library_part(file, text);
  }

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
    if (is_document(options_.text("format")) && !arguments_.calls.separately.empty())
      return Error(format + ": one file has all threads, and --output-separately makes several", EINVAL);
    return {};
  }

  bool disassembles() const { return arguments_.disassemble || options_.flag("verbose"); }

  /// Without a script, argstr and retstr are only ours to show.
  Result<void> settle_units() {
    const bool on_terminal = arguments_.output.empty() && is_text() && shows_units(options_, Look::of(STDERR_FILENO));
    return arguments_.without_script() && on_terminal ? options_.set("units", "always", false, false) : Result<void>();
  }

  /// What changes calls needs a source that can.
  Result<void> settle_source() {
    if (arguments_.injections.empty() || options_.text("source") != kAutoSource) return {};
    return options_.set("source", std::string(kPtraceRow.name), false, false);
  }

  /// The option whose output exists only as text; null: none is given.
  const char* prints_text() const {
    if (arguments_.mode == Mode::List) return "-l";
    if (disassembles()) return "-S";
    return arguments_.verbose && !arguments_.without_script() ? "-v" : nullptr;
  }

  Result<void> open_output() {
    if (arguments_.output.empty()) {
      // as in strace: keeps it apart from the program's own output. In other formats, messages must be kept apart from it
      if (arguments_.without_script() && is_text())
        output_.redirect(UniqueFd(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)), "standard error");
      return {};
    }
    if (!arguments_.calls.separately.empty()) return {};  // each line says where it goes
    auto file = FileOutput::open_file(arguments_.output);
    if (!file) return std::move(file).error();
    output_.redirect(std::move(*file), arguments_.output);
    reopen_at_sighup();
    return {};
  }

  MacroValues macro_values(const std::vector<SourceText>& texts) const {
    return {texts.empty() ? "" : texts.front().name, arguments_.words, [] { return 0; }, arguments_.named,
            hint_on_words(arguments_)};
  }

  int carry_out(std::vector<SourceText> texts) {
    if (arguments_.without_script() || adds_built_in(texts)) {
      auto own = own_script();
      if (!own) return fatal(own.error().message());
      texts.push_back(std::move(*own));
    }
    if (texts.empty() && arguments_.mode == Mode::List) return list({});
    if (texts.empty() && arguments_.mode == Mode::CompileOnly) {
      if (arguments_.words.empty()) return 0;
      const std::string& word = arguments_.words.front();
      return fatal("no probes specified\n    -e compiles what -n and -s name; the calls of a program: sonde " +
                   (parse_call_set(word) ? "-e trace=" + word + " " : "") + "PROGRAM ARGS");
    }
    if (texts.empty() && arguments_.mode != Mode::Prompt)
      return fatal(
          "no probes specified\n    a program alone, or -p PID, shows its calls; -n and -s give a script; --help shows "
          "how");

    if (Look::of(STDERR_FILENO).is_rich()) show_progress_on(STDERR_FILENO);
    const MacroValues macros = macro_values(texts);
    if (auto done = session_->prepare_targets(arguments_.commands, arguments_.pids, texts, macros); !done)
      return given_up(done.error().message() + hint_on_start(done.error()));
    auto compiled = session_->compile(texts, macros);
    if (!compiled) return refused(texts, compiled.error());
    return use(texts, *compiled);
  }

  /// --summary beside a script, or at the prompt.
  bool adds_built_in(const std::vector<SourceText>& texts) const {
    const bool has_others = arguments_.mode == Mode::Prompt || !texts.empty();
    return arguments_.built_in != nullptr && !arguments_.without_script() && has_others;
  }

  /// Behind the error of a program that is not there.
  std::string hint_on_start(const Error& error) const {
    const bool has_one = error.message().find('\n') != std::string::npos;
    if (has_one || arguments_.commands.empty() || error.code() != ENOENT) return "";
    const std::string& word = arguments_.commands.front().front();
    const bool is_number = word.find_first_not_of("0123456789") == word.npos;
    if (!arguments_.without_script() && !is_number) return "";
    const std::string hint = hint_on_missing_program(word);
    return hint.empty() ? "" : "\n    " + hint;
  }

  bool units() const { return shows_units(options_, output_.look()); }

  /// Whether the list of calls begins with several threads.
  bool begins_with_several() const {
    if (arguments_.pids.size() + arguments_.commands.size() != 1) return true;  // none: the whole machine
    if (arguments_.pids.empty()) return false;
    std::error_code ignored;
    const std::filesystem::directory_iterator threads("/proc/" + std::to_string(arguments_.pids.front()) + "/task",
                                                      ignored);
    return std::distance(begin(threads), end(threads)) > 1;
  }

  /// The script of the built-in tool.
  Result<SourceText> own_script() {
    CallList& calls = arguments_.calls;
    calls.units = units();
    calls.several = begins_with_several();
    calls.attaches = !arguments_.pids.empty();
    if (!calls.names) calls.names = !arguments_.has_targets();
    calls.look = is_text() && calls.separately.empty() ? output_.look() : Look::plain();
    calls.timeline = is_timeline(options_.text("format"));
    auto injected = injection_script(arguments_.injections, calls.trace, calls.paths);
    if (!injected) return Error("--inject: " + injected.error().message(), EINVAL);
    const BuiltIn& tool = *arguments_.built_in;
    const std::string script = tool.script(calls, arguments_.summary);
    return SourceText{SourceText::Kind::Name, tool.typed(), injected->before + script + injected->behind, {}};
  }

  int use(const std::vector<SourceText>& texts, const std::vector<CompiledText>& compiled) {
    const Look look = Look::of(STDERR_FILENO);
    show_warnings(output_, session_->compiler().warnings(), texts, 0, diagnostic_form(options_, look), look);
    if (disassembles())
      for (const CompiledText& text : compiled) output_.write(session_->compiler().disassembly(text));
    if (arguments_.verbose && arguments_.mode != Mode::List && !arguments_.without_script())
      report_stability(texts, compiled);
    switch (arguments_.mode) {
      case Mode::CompileOnly: session_->targets().kill_waiting(); return 0;
      case Mode::List: return list(compiled);
      case Mode::Trace:
      case Mode::Prompt: return trace(texts, compiled);
      case Mode::Version:
      case Mode::CheckProvider:
      case Mode::Completion:
      case Mode::Doctor:
      case Mode::Why:
      case Mode::Header:
      case Mode::Object:
      case Mode::Help: return 0;
    }
    return kFatal;
  }

  /// What runs, and on what.
  std::string title_of(const std::vector<SourceText>& texts) const {
    std::string script, target;
    for (const Arguments::Program& program : arguments_.programs)
      script += (script.empty() ? "" : " ") + (program.kind == SourceText::Kind::Script
                                                   ? std::filesystem::path(program.text).stem().string()
                                                   : trimmed(program.text));
    for (const std::string& word : arguments_.words) script += " " + word;
    if (arguments_.without_script()) script = arguments_.built_in->title;
    if (script.empty() && !texts.empty()) script = texts.front().name;
    for (const auto& words : arguments_.commands)
      for (const std::string& word : words) target += (target.empty() ? "" : " ") + word;
    for (const uint32_t pid : arguments_.pids) target += (target.empty() ? "process " : ", ") + std::to_string(pid);
    return target.empty() ? script : target + ": " + script;
  }

  int trace(const std::vector<SourceText>& texts, const std::vector<CompiledText>& compiled) {
    auto& clauses = session_->program().clauses;
    const bool destructive = std::ranges::any_of(clauses, &ClauseDesc::destructive);
    announce(texts, compiled, destructive && options_.flag("destructive"));
    if (options_.number("mintime") != 0 && !options_.flag("flowindent"))
      return given_up("--min-time leaves out calls of -F: add -F");
    if (clauses.empty() && arguments_.mode == Mode::Trace)
      return given_up("no probes matched\n    the script holds no probe description");
    if (destructive && !options_.flag("destructive"))
      return given_up("could not enable tracing: Destructive actions not allowed\n    -w allows them");
    const auto watched = parse_watch(arguments_.watched.value_or(""));
    if (!watched) return given_up("--watch: " + watched.error().message());
    if (arguments_.mode == Mode::Trace && !arguments_.watched) output_.write_behind(options_.number("outbufsize"));
    if (is_document(options_.text("format"))) {
      output_.truncate();
      if (!options_.was_set("title")) (void)options_.set("title", title_of(texts), false, false).has_value();
    }
    if (auto done = session_->start(compiled); !done)
      return given_up("could not enable tracing: " + done.error().message());
    if (arguments_.built_in != nullptr) settle_end(*arguments_.built_in);
    if (arguments_.mode == Mode::Prompt) {
      const auto given = scripts(texts);
      Prompt prompt(*session_, options_, output_, given, std::span(compiled).first(given.size()));
      if (arguments_.runs_on) prompt.run_on();
      if (handed_) prompt.continue_from(*std::exchange(handed_, std::nullopt));
      const int status = prompt.run();
      hands_over_ = prompt.handed_over();
      return status;
    }
    const bool without_script = arguments_.without_script();
    if (without_script || !options_.flag("quiet")) session_->tracing().report_cost();
    if (without_script) {
      for (uint32_t pid : session_->targets().noted())
        output_.message("process " + std::to_string(pid) + " attached; Ctrl-C lets it go");
      if (!arguments_.built_in->sums && is_text()) session_->show_calls_under_way(arguments_.calls.stacks);
    }
    const int status = arguments_.watched ? run_watched(*watched) : session_->run();
    if (!output_.failed() && arguments_.tool.empty())  // whoever runs a tool did not write its clauses
      for (const std::string& line : unfired_clauses(*session_, scripts(texts), compiled, options_.flag("quiet")))
        output_.message(line);
    if (without_script && !output_.failed())
      if (const std::string line = unmade_calls(*session_, arguments_.calls); !line.empty()) output_.message(line);
    if (without_script && !arguments_.commands.empty()) {
      end_ = session_->targets().end_of_program();
      if (!end_ && interrupted()) end_ = interrupting_signal();
    }
    return status;
  }

  void settle_end(const BuiltIn& tool) {
    const bool reports = tool.report != nullptr && is_text();
    std::function<std::string(Consumer&)> report;
    if (reports)
      report = [this, &tool](Consumer& consumer) { return tool.report(consumer, arguments_.summary, units()); };
    session_->tracing().set_end(std::move(report), !arguments_.without_script() || (tool.sums && !reports));
  }

  /// Runs with the aggregations of --watch on the screen.
  int run_watched(const Watched& watched) {
    const std::unique_ptr<LineReader> reader = make_no_reader();
    Screen screen(output_, session_->tracing().loop(), *reader);
    Watch watch(*session_, output_, screen);
    watch.begin(watched);
    session_->tracing().run([this] { return session_->targets().all_ended(); });
    watch.end();
    session_->tracing().finish();
    return session_->tracing().exit_status();
  }

  /// Those of the texts that the user wrote: the built-in one is the last.
  std::span<const SourceText> scripts(std::span<const SourceText> texts) const {
    return texts.first(texts.size() - (arguments_.built_in != nullptr ? 1 : 0));
  }

  void announce(const std::vector<SourceText>& texts, const std::vector<CompiledText>& compiled, bool destructive) {
    for (const std::string& remark : arguments_.remarks) output_.message(remark);
    if (options_.flag("quiet")) return;
    for (const std::string& line : options_.without_effect()) output_.message(line);
    for (size_t i = 0; i < scripts(texts).size(); i++) {
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
    const bool on_terminal = arguments_.output.empty() && ::isatty(STDOUT_FILENO) == 1;
    const std::string text =
        list_probes(session_->framework(), descriptions,
                    {arguments_.verbose, arguments_.lists_words, on_terminal && !arguments_.verbose}, missing);
    if (!on_terminal || !page(text)) output_.write(text);
    const std::string hint = hint_on_function(arguments_);  // as in -f ls -l
    if (!missing.empty() && !hint.empty()) missing.back() += "\n    " + hint;
    for (const std::string& text : missing) output_.message(text);
    for (const std::string& remark : arguments_.remarks) output_.message(remark);
    session_->targets().kill_waiting();
    return 0;
  }

  /// Handles a fatal error when targets may already wait at their exec.
  int given_up(const std::string& message) {
    if (session_) session_->targets().kill_waiting();
    output_.settle();
    return fatal(message);
  }

  /// Shows why the texts do not compile, or why their targets cannot be started.
  int refused(std::span<const SourceText> texts, const Error& error) {
    const Look look = Look::of(STDERR_FILENO);
    const DiagnosticForm form = diagnostic_form(options_, look);
    if (form == DiagnosticForm::DTrace || session_->reported().empty())
      return given_up(error.message() + hint_on_start(error));
    session_->targets().kill_waiting();
    output_.settle();
    show_warnings(output_, session_->compiler().warnings(), texts, 0, form, look);
    std::fputs(show_diagnostics(session_->reported(), texts, 0, form, look).c_str(), stderr);
    return kFatal;
  }

  Arguments arguments_;
  Options& options_;
  FileOutput& output_;
  Plugins plugins_;  ///< tried before the session exists, so that their children inherit nothing of it
  std::unique_ptr<Session> session_;
  std::optional<int> end_;
  std::optional<HandedOver> handed_, hands_over_;
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

namespace {

/// Whether it is a pipe or a file that holds something to read; waits until one can tell.
bool has_text(int fd) {
  struct stat about {};
  if (::fstat(fd, &about) != 0) return false;
  if (S_ISREG(about.st_mode)) return about.st_size > ::lseek(fd, 0, SEEK_CUR);
  if (!S_ISFIFO(about.st_mode) && !S_ISSOCK(about.st_mode)) return false;
  pollfd asked{fd, POLLIN, 0};
  while (::poll(&asked, 1, -1) < 0 && errno == EINTR) {
  }
  int bytes = 0;
  return ::ioctl(fd, FIONREAD, &bytes) == 0 && bytes > 0;
}

/// Without anything to trace on the command line, the text on standard input says it: as at the prompt, with its commands;
/// what the prompt cannot do is done with a script.
void take_standard_input(Arguments& arguments, const Options& options) {
  const bool traces = arguments.mode == Mode::Trace, named = !arguments.programs.empty() || !arguments.words.empty();
  if (named || arguments.has_targets() || arguments.named_built_in) return;
  if ((!traces && arguments.mode != Mode::CompileOnly) || !has_text(STDIN_FILENO)) return;
  const bool script = !traces || arguments.disassemble || arguments.verbose || arguments.watched ||
                      options.flag("verbose") || options.flag("cpp") || options.text("format") != "text";
  if (script) {
    arguments.programs.push_back({SourceText::Kind::Script, "-"});
  } else {
    arguments.mode = Mode::Prompt;
    arguments.runs_on = true;
  }
}

/// The prompt goes on here: what the command line named has been handed over.
void go_on(Arguments& arguments) {
  arguments.runs_on = arguments.mode != Mode::Prompt && ::isatty(STDIN_FILENO) != 1;
  arguments.mode = Mode::Prompt;
  arguments.programs.clear();
  arguments.commands.clear();
  arguments.pids.clear();
}

/// --diagnostics=json. It holds for errors of the command line, too, which come before the options are set.
bool wants_json(const Arguments& arguments) {
  return std::ranges::any_of(arguments.settings, [](const Arguments::Setting& one) {
    return one.name == "diagnostics" && one.value == "json";
  });
}

}  // namespace

int run_command(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  std::optional<HandedOver> handed = take_handed_over();
  set_program_name(argc > 0 ? argv[0] : "sonde");
  Arguments arguments;
  BadArguments bad;
  const bool typed = ::isatty(STDIN_FILENO) == 1;
  if (argc == 1 && (handed || typed || has_text(STDIN_FILENO))) {
    arguments.mode = typed ? Mode::Prompt : Mode::Trace;
  } else if (!parse_arguments(argc, argv, arguments, bad)) {
    if (wants_json(arguments)) show_messages_as_json();
    if (!bad.message.empty()) fatal(bad.message);
    if (bad.usage && !wants_json(arguments)) std::fputs(usage().c_str(), stderr);
    return bad.usage ? kUsage : kFatal;
  }
  if (wants_json(arguments)) show_messages_as_json();
  FileOutput output;
  if (const auto text = text_asked_for(arguments)) {
    if (!*text) return fatal(text->error().message());
    if (arguments.mode != Mode::Help || !page(**text)) output.write(**text);
    return finished(output, 0);
  }
  if (arguments.mode == Mode::Doctor) {
    const std::vector<Finding> findings = examine(this_machine(), arguments.topic);
    output.write(arguments.json ? doctor_json(findings) : doctor_text(findings));
    return finished(output, doctor_status(findings));
  }
  Options options;
  if (arguments.without_script()) {
    constexpr std::string_view kWhole = "argstrwhole";
    if (std::ranges::find(arguments.settings, kWhole, &Arguments::Setting::name) != arguments.settings.end())
      arguments.settings.insert(arguments.settings.begin(), {"strsize", "65536", ""});
    for (auto [name, value] : kCallsSettings)
      arguments.settings.insert(arguments.settings.begin(), Arguments::Setting{name, value});
  }
  if (handed) arguments.settings.push_back({"source", handed->source});
  if (auto done = apply_settings(options, arguments); !done) return fatal(done.error().message());
  if (handed)
    go_on(arguments);
  else
    take_standard_input(arguments, options);
  if (arguments.mode == Mode::CheckProvider) {
    const int status = check_provider(arguments, options);
    return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 ? status : unwritten();
  }
  if (arguments.mode == Mode::Header || arguments.mode == Mode::Object) {
    const auto status = make_header_or_object(arguments, options, output);
    return status ? finished(output, *status) : fatal(status.error().message());
  }
  if (arguments.mode == Mode::Why) {
    const auto status = show_waits(arguments, options, output);
    return status ? finished(output, *status) : fatal(status.error().message());
  }
  auto run = std::make_unique<Run>(std::move(arguments), options, output, std::move(handed));
  int status = run->run();
  const std::optional<int> end = run->program_end();
  const std::optional<HandedOver> anew = run->hands_over();
  run.reset();
  status = finished(output, status);
  if (anew) return fatal(hand_over(*anew, words).message());
  return ended_as(end, status);
}

}  // namespace sonde
