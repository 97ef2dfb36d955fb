// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/session/targets.h"

#include <elf.h>
#include <limits.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "runtime/base/auxv.h"
#include "runtime/base/clock.h"
#include "runtime/base/procfs.h"
#include "runtime/process/descendants.h"
#include "runtime/source/registry.h"
#include "runtime/syscall/decode.h"
#include "runtime/utrace/thread_status.h"

namespace sonde {
namespace {

constexpr Nanoseconds kMostRest = 50'000'000;  ///< for all threads until they sleep again

/// Ours, with what the probes need, unless we have it, and the changes of -x setenv.
std::vector<std::string> environment_of_programs(const Options& options, std::span<const std::string> needed = {}) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; entry++) all.emplace_back(*entry);
  for (const std::string& one : needed) {
    const std::string begin = one.substr(0, one.find('=') + 1);
    if (std::ranges::none_of(all, [&](const std::string& entry) { return entry.starts_with(begin); }))
      all.push_back(one);
  }
  for (const std::string& change : options.list("setenv")) {
    const std::string name = change.substr(0, change.find('='));
    std::erase_if(all, [&](const std::string& entry) { return entry.starts_with(name + "="); });
    if (name != change) all.push_back(change);
  }
  return all;
}

/// That of -x user.
Result<std::optional<RunAs>> user_of_programs(const Options& options) {
  const std::string& name = options.text("user");
  if (name.empty()) return std::optional<RunAs>();
  auto user = find_user(name);
  if (!user) return std::move(user).error().context("--user");
  return std::optional<RunAs>(std::move(*user));
}

bool is_process(uint32_t pid) {
  return static_cast<uint32_t>(process_of_thread(static_cast<pid_t>(pid))) == pid && !has_ended(pid);
}

bool holds(const std::vector<uint32_t>& pids, uint32_t pid) { return std::ranges::find(pids, pid) != pids.end(); }

/// A hint why a program could not be started, if its words show the reason.
std::string hint_on(const std::vector<std::string>& words, int error) {
  const std::string& name = words.front();
  if (name.find('=') != std::string::npos && name.find('/') == std::string::npos)
    return "\n    no shell reads this: env " + name + " ... sets a variable";
  if (name.find('/') == std::string::npos && ::access(name.c_str(), F_OK) == 0)
    return "\n    there is one in this folder: ./" + name;
  constexpr std::array<std::string_view, 14> kOfShells = {
      ".", "alias", "cd", "eval", "exec", "export", "for", "hash", "if", "source", "type", "ulimit", "umask", "while"};
  if (std::ranges::find(kOfShells, name) != kOfShells.end())
    return "\n    that is a word of the shell, so a shell runs it: sh -c '" + name + " ...'";
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

/// Waits, at most a second, until a killed process is gone, or is a zombie that nobody traces: then the guard has no
/// reason to stay.
void await_end(uint32_t pid) {
  constexpr timespec kMoment = {0, 1'000'000};
  ThreadStatus status;
  for (int i = 0; i < 1000 && read_status(static_cast<pid_t>(pid), &status); ++i) {
    if (status.state == 'Z' && status.tracer == 0) return;
    ::nanosleep(&kMoment, nullptr);
  }
}

}  // namespace

Targets::Targets(EventSource* source, Framework& framework, const Options& options, Output& output)
    : control_(source != nullptr ? source->targets() : nullptr),
      threads_(source != nullptr ? source->threads() : nullptr),
      source_name_(source != nullptr ? source->name() : ""),
      framework_(framework),
      options_(options),
      output_(output) {}

// ---- before the run --------------------------------------------------------------------------------------------

Result<void> Targets::note_attached(const std::vector<uint32_t>& pids) {
  const auto gone = std::ranges::find_if(pids, has_ended);
  if (gone != pids.end())
    return Error("No such process\n    no process has the number " + std::to_string(*gone), ESRCH);
  const auto ended =
      std::ranges::find_if(pids, [](uint32_t pid) { return living_thread(static_cast<pid_t>(pid)) == 0; });
  if (ended != pids.end())
    return Error(
        "process " + std::to_string(*ended) + " has ended: it is a zombie, for which its parent has not waited yet",
        ESRCH);
  for (uint32_t number : pids)
    if (const uint32_t pid = process_of(number); !holds(noted_, pid)) noted_.push_back(pid);
  return {};
}

/// Says so if `number` is that of a thread.
uint32_t Targets::process_of(uint32_t number) {
  const auto process = static_cast<uint32_t>(process_of_thread(static_cast<pid_t>(number)));
  if (process == 0 || process == number) return number;
  output_.message(std::to_string(number) + " is a thread of process " + std::to_string(process) +
                  ": sonde traces all of the process");
  return process;
}

void Targets::note_named(std::span<const uint32_t> pids) {
  for (uint32_t pid : pids)
    if (control_ != nullptr && !holds(noted_, pid) && is_process(pid)) noted_.push_back(pid);
}

Result<void> Targets::begin(const std::vector<std::string>& words, const Forecast& forecast,
                            const std::optional<TerminalEnd>& terminal) {
  const bool shows_exec = options_.text("evaltime") == "exec";
  auto user = user_of_programs(options_);
  if (!user) return std::move(user).error();
  auto done = control_->begin_spawn({words, environment_of_programs(options_, forecast.environment), true,
                                     forecast.calls, shows_exec, std::move(*user), terminal});
  if (!done) return not_executed(words, std::move(done).error());
  begun_.push_back({words, forecast.awaits_process});
  return {};
}

Result<void> Targets::await() {
  for (const Begun& program : std::exchange(begun_, {}))
    if (auto done = await_program(program); !done && !not_started_) not_started_ = std::move(done).error();
  if (!std::exchange(known_, true)) {
    live_.insert(live_.end(), noted_.begin(), noted_.end());
    had_some_ = !live_.empty();
    framework_.set_targets(live_);
  }
  if (not_started_) return *not_started_;
  return {};
}

Result<void> Targets::await_program(const Begun& program) {
  auto pid = control_->spawned();
  if (!pid) return not_executed(program.words, std::move(pid).error());
  started_.push_back(*pid);
  live_.push_back(*pid);
  const std::string& when = options_.text("evaltime");
  if (when == "exec")
    execs_.emplace_back(*pid, decode_exec(path_of_exec(*pid), program.words, environment_of_programs(options_)));
  if (when == "postinit" || when == "main") return control_->run_to_entry(*pid);
  const bool awaits_libraries = when.empty() && program.awaited;
  return when == "preinit" || awaits_libraries ? control_->run_to_constructors(*pid) : Result<void>();
}

/// The path that execve() was given: the kernel stores it in the program's memory (AT_EXECFN).
std::string Targets::path_of_exec(uint32_t pid) const {
  const auto auxv = Auxv::read(pid);
  const uint64_t path = auxv ? auxv->value(AT_EXECFN) : 0;
  return path != 0 ? read_text(reader_of(pid), path, PATH_MAX).text : "";
}

ReadMemory Targets::reader_of(uint32_t pid) const {
  return [this, pid](uint64_t address, std::span<uint8_t> to) {
    return threads_ != nullptr && threads_->read_memory(pid, address, to).has_value();
  };
}

Result<void> Targets::attach_noted() {
  for (uint32_t pid : std::vector<uint32_t>(noted_)) {
    std::vector<uint32_t> children = descendants_of(pid);
    if (auto done = control_->attach(pid); !done) return done;
    std::erase_if(children,
                  [this](uint32_t child) { return holds(live_, child) || ::kill(static_cast<pid_t>(child), 0) != 0; });
    if (!options_.flag("children")) {
      report_left_out(pid, children.size());
      continue;
    }
    for (uint32_t child : children) {
      auto done = control_->attach(child);
      if (done) live_.push_back(child);
      if (!done && done.error().code() != ESRCH && done.error().code() != EEXIST) return done;
    }
  }
  framework_.set_targets(live_);
  return {};
}

void Targets::report_left_out(uint32_t pid, size_t children) {
  if (children == 0) return;
  output_.message("process " + std::to_string(pid) + " has " + std::to_string(children) +
                  (children == 1 ? " child" : " children") + " already, not traced: -x children traces them, too");
}

Result<void> Targets::go() {
  if (control_ != nullptr)
    if (auto done = control_->go(); !done) return done;
  going_ = true;
  return {};
}

// ---- while it goes on ------------------------------------------------------------------------------------------

Result<uint32_t> Targets::start(const std::vector<std::string>& words, const std::optional<TerminalEnd>& terminal) {
  if (control_ == nullptr) return no_control(source_name_);
  // Without a filter, which could not be taken back: a target of the prompt can be let go.
  auto user = user_of_programs(options_);
  if (!user) return std::move(user).error();
  auto pid = control_->spawn({words, environment_of_programs(options_), false, {}, false, std::move(*user), terminal});
  if (!pid) return std::move(pid).error().context("failed to execute " + words[0]);
  live_.push_back(*pid);
  framework_.set_targets(live_);
  if (auto done = control_->run_to_constructors(*pid); !done) return std::move(done).error();
  return *pid;
}

Result<uint32_t> Targets::attach(uint32_t number) {
  if (control_ == nullptr) return no_control(source_name_);
  const uint32_t pid = process_of(number);
  if (auto done = control_->attach(pid); !done) return std::move(done).error();
  live_.push_back(pid);
  framework_.set_targets(live_);
  return pid;
}

void Targets::note_end(uint32_t pid, int wait_status) {
  std::erase(live_, pid);
  framework_.set_targets(live_);
  if (!started_.empty() && pid == started_.front()) end_of_program_ = wait_status;
  on_end(pid, wait_status);
}

namespace {

/// Whether the thread sleeps. One that does not yet gets until `patience`: an attach may have woken it, and its call begins
/// again.
bool sleeps_by(uint32_t tid, Nanoseconds patience) {
  for (ThreadStatus status; read_status(static_cast<pid_t>(tid), &status); ::usleep(1000)) {
    if (status.state == 'S' || status.state == 'D') return true;
    if (monotonic_now() >= patience) return false;
  }
  return false;
}

}  // namespace

std::string Targets::calls_under_way(const std::function<std::string(uint32_t, uint32_t)>& below) const {
  std::vector<uint32_t> processes = live_;
  for (uint32_t pid : started_) {
    const std::vector<uint32_t> children = descendants_of(pid);
    processes.insert(processes.end(), children.begin(), children.end());
  }
  const Nanoseconds patience = monotonic_now() + kMostRest;
  struct Sleeper {
    uint32_t tid, pid;
    std::string call;  ///< empty: it does not sleep in one
  };
  std::vector<Sleeper> threads;
  for (uint32_t pid : processes) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", ignored)) {
      const auto tid = static_cast<uint32_t>(std::atoi(entry.path().filename().c_str()));
      const bool sleeps = sleeps_by(tid, patience);
      threads.push_back({tid, pid, sleeps ? present_call(pid, tid, reader_of(pid)) : ""});
    }
  }
  std::ranges::sort(threads, {}, &Sleeper::tid);
  std::string lines;
  for (const Sleeper& thread : threads) {
    if (thread.call.empty()) continue;
    const std::string number = threads.size() > 1 ? "[pid " + std::to_string(thread.tid) + "] " : "";
    lines += number + thread.call + " <unfinished ...>\n" + (below ? below(thread.pid, thread.tid) : "");
  }
  return lines;
}

// ---- the end ---------------------------------------------------------------------------------------------------

Result<uint64_t> Targets::stop() {
  if (control_ == nullptr) return no_control(source_name_);
  auto gone = control_->detach_all();
  if (!gone) return gone;
  live_.clear();
  framework_.set_targets(live_);
  return gone;
}

void Targets::release() {
  if (control_ == nullptr) return;
  for (uint32_t pid : live_) (void)control_->detach(pid).has_value();
  released_ = std::exchange(live_, {});
  framework_.set_targets(live_);
}

void Targets::kill_started() {
  for (uint32_t pid : released_) {
    if (!holds(started_, pid)) continue;
    ::kill(static_cast<pid_t>(pid), SIGKILL);
    await_end(pid);
  }
}

void Targets::kill_waiting() {
  if (going_) return;
  (void)await().has_value();
  for (uint32_t pid : started_) ::kill(static_cast<pid_t>(pid), SIGKILL);
}

}  // namespace sonde
