// SPDX-License-Identifier: GPL-3.0-or-later
// The life of a run, in the order of the functions below
//
//   prepare_targets    programs of -c are started, and wait at their exec
//   compile            while they start, unless a text needs to know them
//   start              buffers, processes of -p attached, limits checked, probes enabled, BEGIN fired, targets let go
//   loop               wait --> take_events --> drain, until exit(), a signal, the last target's end, or nobody reads
//   finish             targets let go, probes disarmed, last records, END, report
//
// Three things must stay true. A program of -c that was never let go is killed, whatever fails (abandon_targets()).
// Events of the source are acted on between drains only: a drain that needs the name of a process that has ended may
// read events (take_names()), and puts off all that are not mappings. END fires when everything else has been consumed.
#include "cli/session.h"

#include <elf.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "cli/cost.h"
#include "cli/descendants.h"
#include "cli/interrupt.h"
#include "cli/labels.h"
#include "cli/sources.h"
#include "providers/registry.h"
#include "runtime/agg/functions.h"
#include "runtime/base/sha256.h"
#include "runtime/process/demangle.h"
#include "runtime/syscall/decode.h"
#include "runtime/utrace/thread_status.h"

namespace sonde {

namespace {

constexpr ProbeId kBegin{1};
constexpr ProbeId kEnd{2};
constexpr uint64_t kLeastBuffer = 4096;
constexpr size_t kMappedAtOnce = 64;  // events; the thread that mapped the first of them may wait

uint64_t monotonic_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

std::vector<std::string> own_environment() {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; entry++) all.emplace_back(*entry);
  return all;
}

/// Why a program could not be started, where the words give it away.
std::string hint_on(const std::vector<std::string>& words, int error) {
  const std::string& name = words.front();
  if (name.find('=') != std::string::npos && name.find('/') == std::string::npos)
    return "\n    no shell reads this: env " + name + " ... sets a variable";
  if (name.find('/') == std::string::npos && ::access(name.c_str(), F_OK) == 0)
    return "\n    there is one in this folder: ./" + name;
  if (name.ends_with(".d") && error == EACCES) return "\n    a script is run by -s " + name;
  return {};
}

Error not_executed(const std::vector<std::string>& words, Error error) {
  constexpr std::array kOfExec = {ENOENT, EACCES, ENOTDIR, ENOEXEC, EISDIR, ELOOP};
  const int code = error.code();
  if (std::ranges::find(kOfExec, code) == kOfExec.end())
    return std::move(error).context("failed to execute " + words[0]);
  return Error("failed to execute " + words[0] + ": " + std::strerror(code) + hint_on(words, code), code);
}

/// Waits, a second at most, until a process that was killed is gone, or is a zombie that nobody traces: then the guard has
/// no reason to stay.
void await_end(uint32_t pid) {
  constexpr timespec kMoment = {0, 1'000'000};
  ThreadStatus status;
  for (int i = 0; i < 1000 && read_status(static_cast<pid_t>(pid), &status); ++i) {
    if (status.state == 'Z' && status.tracer == 0) return;
    ::nanosleep(&kMoment, nullptr);
  }
}

/// Whether the system has that much memory to give.
bool can_be_had(uint64_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory != MAP_FAILED && ::munmap(memory, bytes) == 0;
}

/// "4m"
std::string size_text(uint64_t bytes) {
  for (const auto& [shift, unit] : {std::pair(40, 't'), std::pair(30, 'g'), std::pair(20, 'm'), std::pair(10, 'k')}) {
    if (bytes >> shift != 0 && (bytes >> shift) << shift == bytes) return std::to_string(bytes >> shift) + unit;
  }
  return std::to_string(bytes);
}

}  // namespace

Session::Session(Options& options, FileOutput& output) : options_(options), output_(output) {}

Session::~Session() {
  consumer_.reset();
  compiler_.reset();
  if (framework_) unregister_providers();
  framework_.reset();
  const std::string left = source_ != nullptr ? source_->close() : "";
  if (!left.empty() && !output_.reader_gone()) output_.message(left);
}

Result<std::unique_ptr<Session>> Session::create(Options& options, FileOutput& output, bool targets, bool prompt) {
  std::unique_ptr<Session> session(new Session(options, output));
  auto opened = open_source(options.text("source"), targets, {.own_group = prompt, .null_input = prompt});
  if (!opened) return std::move(opened).error().context("cannot open the event source");
  if (!options.flag("demangle")) show_linker_names();
  session->opened_ = std::move(*opened);
  session->source_ = session->opened_.source.get();
  if (session->source_ != nullptr) {
    session->control_ = session->source_->targets();
    session->threads_ = session->source_->threads();
  }
  session->framework_ = std::make_unique<Framework>(session->source_);
  register_providers();
  session->compiler_ = std::make_unique<Compiler>(session->program_, *session->framework_, options);
  return session;
}

// ---- targets ---------------------------------------------------------------------------------------------------

Result<void> Session::prepare_targets(const std::vector<std::vector<std::string>>& commands,
                                      const std::vector<uint32_t>& pids, std::span<const SourceText> texts,
                                      const MacroValues& macros) {
  const auto is_gone = [](uint32_t pid) { return ::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH; };
  const auto gone = std::ranges::find_if(pids, is_gone);
  if (gone != pids.end())
    return Error("No such process\n    no process has the number " + std::to_string(*gone), ESRCH);
  attach_ = pids;
  for (uint32_t pid : named_processes(texts, macros)) {
    if (std::ranges::find(attach_, pid) == attach_.end() && !is_gone(pid)) attach_.push_back(pid);
  }
  bool needed = commands.empty();
  if (!commands.empty()) {
    const Forecast forecast = framework_->forecast(compiler_->preview(texts, macros));
    for (const std::vector<std::string>& words : commands) {
      if (auto done = begin_spawn(words, forecast); !done) return done;
    }
    needed = forecast.awaits_process || forecast.may_grow;
  }
  if (needed) return await_targets();
  framework_->on_targets_asked = [this] { (void)await_targets().has_value(); };
  return {};
}

/// A description of pid<N> attaches to process N. If there is no such process, the provider reports it.
std::vector<uint32_t> Session::named_processes(std::span<const SourceText> texts, const MacroValues& macros) {
  std::vector<uint32_t> found;
  if (control_ == nullptr ||
      !std::ranges::any_of(texts, [](const SourceText& text) { return names_process(text.text); }))
    return found;
  for (const ProbeDescription& description : compiler_->preview(texts, macros)) {
    uint32_t pid = 0;
    const std::string& name = description.provider;
    if (!name.starts_with("pid")) continue;
    const auto [end, error] = std::from_chars(name.data() + 3, name.data() + name.size(), pid);
    if (error == std::errc() && end == name.data() + name.size() && pid != 0) found.push_back(pid);
  }
  return found;
}

/// Children that a process of -p has already are reported, or attached with -x children. Children that it makes from now
/// on are traced in any case.
Result<void> Session::attach_all() {
  for (uint32_t pid : std::vector<uint32_t>(attach_)) {
    std::vector<uint32_t> children = descendants_of(pid);
    if (auto done = control_->attach(pid); !done) return done;
    std::erase_if(children, [this](uint32_t child) {
      return std::ranges::find(live_, child) != live_.end() || ::kill(static_cast<pid_t>(child), 0) != 0;
    });
    if (!options_.flag("children")) {
      tell_left_out(pid, children.size());
      continue;
    }
    for (uint32_t child : children) {
      auto done = control_->attach(child);
      if (done) live_.push_back(child);
      if (!done && done.error().code() != ESRCH && done.error().code() != EEXIST) return done;
    }
  }
  framework_->set_targets(live_);
  return {};
}

void Session::tell_left_out(uint32_t pid, size_t children) {
  if (children == 0) return;
  output_.message("process " + std::to_string(pid) + " has " + std::to_string(children) +
                  (children == 1 ? " child" : " children") + " already, not traced: -x children takes them");
}

Result<void> Session::begin_spawn(const std::vector<std::string>& words, const Forecast& forecast) {
  const bool shows_exec = options_.text("evaltime") == "exec";
  auto done = control_->begin_spawn({words, own_environment(), !forecast.awaits_process, forecast.calls, shows_exec});
  if (!done) return not_executed(words, std::move(done).error());
  begun_.push_back({words, forecast.awaits_process});
  return {};
}

/// Waits until the programs of -c are at their exec, or where evaltime has them. From then on the targets are known. Said
/// again, it answers the same.
Result<void> Session::await_targets() {
  for (const Begun& program : std::exchange(begun_, {})) {
    if (auto done = await_program(program); !done && !not_started_) not_started_ = std::move(done).error();
  }
  if (!std::exchange(targets_known_, true)) {
    live_.insert(live_.end(), attach_.begin(), attach_.end());
    had_targets_ = !live_.empty();
    framework_->set_targets(live_);
  }
  if (not_started_) return *not_started_;
  return {};
}

Result<void> Session::await_program(const Begun& program) {
  auto pid = control_->spawned();
  if (!pid) return not_executed(program.words, std::move(pid).error());
  spawned_.push_back(*pid);
  live_.push_back(*pid);
  const std::string& when = options_.text("evaltime");
  if (when == "exec")
    execs_.emplace_back(*pid, decode_exec(path_of_exec(*pid), program.words, own_environment().size()));
  if (when == "postinit" || when == "main") return control_->run_to_entry(*pid);
  const bool awaits_libraries = when.empty() && program.awaited;
  return when == "preinit" || awaits_libraries ? control_->run_to_constructors(*pid) : Result<void>();
}

/// The path as execve() got it: the kernel leaves it in the program's memory (AT_EXECFN).
std::string Session::path_of_exec(uint32_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/auxv", std::ios::binary);
  for (Elf64_auxv_t entry; file.read(reinterpret_cast<char*>(&entry), sizeof entry);) {
    if (entry.a_type != AT_EXECFN) continue;
    return read_text(reader_of(pid), entry.a_un.a_val, PATH_MAX).text;
  }
  return {};
}

ReadMemory Session::reader_of(uint32_t pid) {
  return [this, pid](uint64_t address, std::span<uint8_t> to) {
    return threads_ != nullptr && threads_->read_memory(pid, address, to).has_value();
  };
}

void Session::show_calls_under_way() {
  shows_calls_ = true;
  if (!attach_.empty()) write_calls_under_way();
}

/// A line for each thread that sleeps in a system call now.
void Session::write_calls_under_way() {
  std::vector<uint32_t> processes = live_;
  for (uint32_t pid : spawned_) {
    const std::vector<uint32_t> children = descendants_of(pid);
    processes.insert(processes.end(), children.begin(), children.end());
  }
  std::vector<std::pair<uint32_t, std::string>> by_thread;
  for (uint32_t pid : processes) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", ignored)) {
      const auto tid = static_cast<uint32_t>(std::atoi(entry.path().filename().c_str()));
      ThreadStatus status;
      const bool sleeps = read_status(static_cast<pid_t>(tid), &status) && (status.state == 'S' || status.state == 'D');
      by_thread.emplace_back(tid, sleeps ? present_call(pid, tid, reader_of(pid)) : "");
    }
  }
  std::ranges::sort(by_thread);
  for (const auto& [tid, call] : by_thread) {
    const std::string number = by_thread.size() > 1 ? "[pid " + std::to_string(tid) + "] " : "";
    if (!call.empty()) output_.write(number + call + " <unfinished ...>\n");
  }
  output_.flush();
}

void Session::set_end(std::function<std::string(Consumer&)> report, bool rest) {
  report_ = std::move(report);
  prints_rest_ = rest;
}

void Session::abandon_targets() {
  if (going_) return;
  (void)await_targets().has_value();
  for (uint32_t pid : spawned_) ::kill(static_cast<pid_t>(pid), SIGKILL);
}

void Session::release_targets() {
  if (source_ == nullptr || source_lost_) return;
  for (uint32_t pid : live_) (void)control_->detach(pid).has_value();
  live_.clear();
  framework_->set_targets(live_);
}

// ---- start -----------------------------------------------------------------------------------------------------

Result<std::vector<CompiledText>> Session::compile(std::span<const SourceText> texts, MacroValues macros) {
  macros.target = [this] {
    (void)await_targets().has_value();
    return live_.empty() ? 0u : live_.front();
  };
  std::string all;
  for (const SourceText& text : texts) all += text.text;
  script_digest_ = sha256(all);
  auto compiled = compiler_->compile(texts, macros);
  if (auto done = await_targets(); !done) return std::move(done).error();
  return compiled;
}

Result<void> Session::start(std::span<const CompiledText> texts) {
  uint64_t bytes = options_.number("bufsize");
  framework_->set_ring_bytes(bytes);
  if (source_) {
    if (auto done = create_buffers(bytes); !done) return done;
    if (auto done = attach_all(); !done) return done;
  }
  if (auto done = check_cpu(); !done) return done;
  if (auto done = check_aggregations(); !done) return done;
  if (auto done = check_records(); !done) return done;
  for (const ClauseDesc& clause : program_.clauses)
    if (!clause.impossible.empty()) return Error(clause.impossible, ENOTSUP);
  consumer_ = std::make_unique<Consumer>(program_, *framework_, source_, options_, output_);
  if (auto done = begin_output(); !done) return done;
  for (uint32_t pid : live_) consumer_->note_process(pid);
  for (auto& [pid, arguments] : execs_) consumer_->note_exec(pid, std::move(arguments));
  consumer_->catch_up_by([this] { take_names(); });
  framework_->on_ecb = [this](const EcbInfo& ecb) { consumer_->add_ecb(ecb); };
  framework_->on_left_out = [this](const std::string& text) { output_.message(text); };

  std::vector<Enabling> enablings;
  for (const CompiledText& text : texts) {
    for (Enabling& enabling : compiler_->enablings(text)) enablings.push_back(std::move(enabling));
  }
  auto enabled = framework_->enable_all(enablings);
  if (!enabled) {
    if (source_ != nullptr) return std::move(enabled).error();
    return Error(enabled.error().message() + "\n    to trace every process: " + opened_.missing, EINVAL);
  }

  // BEGIN comes before all else, for records are consumed in the order of time. What it does, it does while the targets run.
  framework_->fire(kBegin, {});
  if (control_ != nullptr) {
    if (auto done = control_->go(); !done) return done;
  }
  consumer_->drain();
  // After an exit() in BEGIN there is nothing to trace.
  if (consumer_->exiting()) abandon_targets();
  going_ = source_ != nullptr;
  began_ = monotonic_ns();
  return {};
}

/// Tells the printer what this run is.
Result<void> Session::begin_output() {
  auto labels = parse_labels(options_.text("labels"));
  if (!labels) return std::move(labels).error();
  std::string host = options_.text("host");
  if (host.empty()) {
    char name[HOST_NAME_MAX + 1] = "";
    (void)::gethostname(name, sizeof name - 1);
    host = name;
  }
  const std::string source(source_ != nullptr ? source_->name() : "");
  consumer_->begin({std::move(host), std::move(*labels), script_digest_, source, &program_.aggregations});
  return {};
}

/// bufresize=auto: a size that cannot be had is halved until it can.
Result<void> Session::create_buffers(uint64_t bytes) {
  const uint64_t wanted = bytes;
  const bool lower = options_.text("bufresize") == "auto";
  auto done = source_->create_buffers(bytes);
  while (!done && lower && bytes > kLeastBuffer) {
    bytes /= 2;
    done = source_->create_buffers(bytes);
  }
  if (done && bytes != wanted && !options_.flag("quietresize"))
    output_.message("buffer size lowered to " + size_text(bytes));
  return done;
}

/// The same for aggsize. Aggregations grow as they need, so this only tests whether the memory is there.
Result<void> Session::check_aggregations() {
  const uint64_t wanted = options_.number("aggsize");
  const bool lower = options_.text("bufresize") == "auto";
  if (can_be_had(wanted)) return {};
  uint64_t bytes = wanted / 2;
  while (!can_be_had(bytes) && bytes > kLeastBuffer) bytes /= 2;
  if (!lower) return Error("aggsize: there is no memory for " + size_text(wanted), ENOMEM);
  if (!options_.flag("quietresize")) output_.message("aggregation size lowered to " + size_text(bytes));
  return options_.set("aggsize", std::to_string(bytes), false, false);
}

/// Refuses a record that the whole buffer could not hold. What is as long as the event makes it is not counted.
Result<void> Session::check_records() {
  const uint64_t room = std::bit_ceil(std::max(options_.number("bufsize"), kLeastBuffer));
  for (const ClauseDesc& clause : program_.clauses) {
    const sonde_dif_program program = clause.fire->view();
    if (sonde_dif_needs(&program).bytes > room) return Error("Enabling exceeds size of buffer", ENOSPC);
  }
  for (const AggregationDesc& aggregation : program_.aggregations) {
    if (element_bytes(aggregation) > options_.number("aggsize"))
      return Error("Enabling exceeds size of buffer", ENOSPC);
  }
  return {};
}

Result<void> Session::check_cpu() {
  if (!options_.was_set("cpu")) return {};
  const auto cpus = static_cast<uint64_t>(::sysconf(_SC_NPROCESSORS_CONF));
  if (options_.number("cpu") < cpus) {
    // Our own probes fire there: timers that are started from now on run where this thread runs.
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(options_.number("cpu"), &only);
    if (::sched_setaffinity(0, sizeof only, &only) == 0) return {};
    return Error::from_errno("cannot run on CPU " + std::to_string(options_.number("cpu")), errno);
  }
  return Error(
      "there is no CPU " + std::to_string(options_.number("cpu")) + ": there are 0 to " + std::to_string(cpus - 1),
      EINVAL);
}

// ---- the run ---------------------------------------------------------------------------------------------------

int Session::run() {
  loop();
  if (shows_calls_ && interrupted()) {
    consumer_->drain();
    write_calls_under_way();
  }
  if (!going_) abandon_targets();
  finish();
  print_statistics();
  return source_lost_ ? 1 : consumer_->exit_status();
}

bool Session::over() const {
  return interrupted() || output_.failed() || source_lost_ || (had_targets_ && live_.empty());
}

/// exit() ends the run at once; where statusrate was set, at the next status report.
void Session::loop() {
  const bool patient = options_.was_set("statusrate");
  bool looked = true;
  uint64_t status_due = monotonic_ns() + options_.number("statusrate");
  while (!over() && !(consumer_->exiting() && (looked || !patient))) {
    wait(options_.number("switchrate"));
    if (auto done = take_events(); !done) {
      output_.message(done.error().message());
      source_lost_ = true;
    }
    consumer_->drain();
    looked = monotonic_ns() >= status_due;
    if (looked) {
      consumer_->report_drops();
      status_due = monotonic_ns() + options_.number("statusrate");
    }
  }
}

void Session::wait(uint64_t timeout_ns) {
  pollfd fds[3] = {
      {interrupt_fd(), POLLIN, 0}, {source_ ? source_->event_fd() : -1, POLLIN, 0}, {output_.watched_fd(), 0, 0}};
  uint64_t cap = 1'000'000'000;  // a very long switchrate must not keep exit() or the end of a target waiting
  if (!put_off_.empty()) cap = 0;
  if (uint64_t due = consumer_->next_due(); due != UINT64_MAX) cap = std::min(cap, due - std::min(due, monotonic_ns()));
  timespec limit{};
  limit.tv_nsec = static_cast<long>(std::min({timeout_ns, cap, uint64_t{999'999'999}}));
  ::ppoll(fds, 3, &limit, nullptr);
  if ((fds[2].revents & POLLERR) != 0) output_.note_reader_gone();
}

/// Notes the mappings of processes that have ended since take_events(). It is called while a body runs, so every other
/// event waits for take_events().
void Session::take_names() {
  while (source_ && !source_lost_) {
    auto event = source_->next_event();
    if (!event || !*event) return;  // an error comes again
    if (const auto* mapping = std::get_if<MappingEnds>(&**event)) {
      consumer_->note_mapping(*mapping);
    } else {
      put_off_.push_back(std::move(**event));
    }
  }
}

Result<void> Session::take_events() {
  while (!put_off_.empty()) {
    const SourceEvent event = std::move(put_off_.front());
    put_off_.pop_front();
    if (auto done = take_event(event); !done) return done;
  }
  while (source_ && !source_lost_) {
    auto event = source_->next_event();
    if (!event) return std::move(event).error();
    if (!*event) break;
    if (auto done = take_event(**event); !done) return done;
  }
  return look_at_mapped();
}

/// Makes the probes of files that were mapped, then lets the threads go on that wait for that.
Result<void> Session::look_at_mapped() {
  if (mapped_.empty()) return {};
  const std::vector<FileMapped> mapped = std::exchange(mapped_, {});
  std::vector<std::string> paths;
  for (const FileMapped& file : mapped) paths.push_back(file.path);
  auto done = framework_->modules_appeared(paths);
  for (const FileMapped& file : mapped) {
    if (threads_ != nullptr && file.waiting != 0) (void)threads_->seen(file.waiting).has_value();
  }
  return done;
}

Result<void> Session::take_event(const SourceEvent& event) {
  return std::visit([this](const auto& one) { return take(one); }, event);
}

Result<void> Session::take(const TargetGone& gone) {
  std::erase(live_, gone.pid);
  if (!spawned_.empty() && gone.pid == spawned_.front()) end_of_program_ = gone.wait_status;
  on_target_end(gone.pid, gone.wait_status);
  return {};
}

Result<void> Session::take(const AllGone&) {
  live_.clear();
  return {};
}

Result<void> Session::take(const FileMapped& file) {
  consumer_->note_process(file.pid);
  mapped_.push_back(file);
  return mapped_.size() < kMappedAtOnce ? Result<void>() : look_at_mapped();
}

Result<void> Session::take(const MappingEnds& mapping) {
  consumer_->note_mapping(mapping);
  return {};
}

Result<void> Session::take(const ProgramChanged& changed) {
  consumer_->note_process(changed.pid);
  return {};
}

Result<void> Session::take(const Notice& notice) {
  output_.message(notice.text);
  return {};
}

/// What the source has said while it let the targets go.
void Session::take_notices() {
  for (auto event = source_->next_event(); event && *event; event = source_->next_event()) {
    if (const auto* notice = std::get_if<Notice>(&**event)) output_.message(notice->text);
    if (const auto* mapping = std::get_if<MappingEnds>(&**event)) consumer_->note_mapping(*mapping);
  }
}

void Session::finish() {
  // Nothing fires any more once the targets are let go; what they did until now is in the rings.
  bool alive = source_ && !source_lost_;
  std::string cost;
  if (alive && going_) {
    if (tells_cost_) cost = cost_of_tracing(*source_, began_);
    for (uint32_t pid : live_) (void)control_->detach(pid).has_value();
    (void)framework_->disarm().has_value();
    take_notices();
    // What -c started is killed, what -p named runs on. If the run ends because our output has failed, all of them run on.
    for (uint32_t pid : live_) {
      if (output_.failed() || std::ranges::find(spawned_, pid) == spawned_.end()) continue;
      ::kill(static_cast<pid_t>(pid), SIGKILL);
      await_end(pid);
    }
  }
  framework_->suspend();
  if (output_.failed()) return;  // nobody would read what END prints
  consumer_->drain_all();
  consumer_->allow_end();
  framework_->fire(kEnd, {});
  consumer_->drain_all();
  consumer_->report_drops();
  const std::string report = report_ ? report_(*consumer_) : "";
  if (prints_rest_) consumer_->finish();
  consumer_->end({consumer_->exit_status(), why_over()});
  output_.write(report);
  output_.flush();
  if (tells_cost_) tell_cut_strings();
  if (!cost.empty()) output_.message(cost);
}

/// For printers. Several may hold: what ended the run comes first.
std::string_view Session::why_over() const {
  if (consumer_->exiting()) return "exit";
  if (interrupted()) return "signal";
  return source_lost_ ? "source" : "target";
}

void Session::tell_cut_strings() {
  const uint64_t count = consumer_->full_strings();
  if (count == 0) return;
  output_.message(std::to_string(count) + (count == 1 ? " string fills" : " strings fill") + " strsize, " +
                  std::to_string(options_.number("strsize")) +
                  " bytes, and may be cut: -x strsize=N lets them be longer");
}

void Session::print_statistics() {
  if (std::getenv("SONDE_STATISTICS") == nullptr || !source_ || source_lost_) return;
  auto statistics = source_->statistics();
  if (!statistics) return;
  std::fprintf(stderr, "stops=%lu records=%lu drops=%lu firings=%lu steps=%lu emulated=%lu\n", statistics->stops,
               statistics->records, statistics->drops, statistics->firings, statistics->steps, statistics->emulated);
}

// ---- the prompt's ----------------------------------------------------------------------------------------------

Result<std::vector<uint32_t>> Session::enable(const CompiledText& text) {
  auto enablings = compiler_->enablings(text);
  auto ids = framework_->enable_all(enablings);
  if (!ids) return ids;
  // At a prompt BEGIN fires once, when the clause is typed; then its enabling is removed.
  std::vector<uint32_t> kept, begun;
  for (size_t i = 0; i < ids->size(); i++) {
    (only_begin(enablings[i]) ? begun : kept).push_back((*ids)[i]);
  }
  if (begun.empty()) return kept;
  framework_->fire(kBegin, {});
  consumer_->drain_all();
  if (auto done = framework_->disable_all(begun); !done) return std::move(done).error();
  return kept;
}

bool Session::only_begin(const Enabling& enabling) {
  return std::ranges::all_of(enabling.descriptions, [this](const ProbeDescription& description) {
    return framework_->match(description) == std::vector<ProbeId>{kBegin};
  });
}

Result<void> Session::disable(uint32_t enabling) { return framework_->disable(enabling); }

Result<uint32_t> Session::start_target(const std::vector<std::string>& argv) {
  if (control_ == nullptr) return no_control(source_->name());
  auto pid = control_->spawn({argv, own_environment(), false, {}});
  if (!pid) return std::move(pid).error().context("failed to execute " + argv[0]);
  live_.push_back(*pid);
  framework_->set_targets(live_);
  if (auto done = control_->run_to_constructors(*pid); !done) return std::move(done).error();
  consumer_->note_process(*pid);
  if (auto done = control_->go(); !done) return std::move(done).error();
  return *pid;
}

Result<void> Session::attach_target(uint32_t pid) {
  if (control_ == nullptr) return no_control(source_->name());
  if (auto done = control_->attach(pid); !done) return done;
  live_.push_back(pid);
  framework_->set_targets(live_);
  consumer_->note_process(pid);
  return control_->go();
}

Result<void> Session::poll_source() {
  auto done = take_events();
  consumer_->drain();
  return done;
}

}  // namespace sonde
