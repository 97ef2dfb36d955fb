// SPDX-License-Identifier: GPL-3.0-or-later
// A tap is found by what fires it, so it is in several lists:
//
//   taps_        by id                         owns it; its address never changes
//   kinds_       by kind                       all but user taps
//   files_       by file                       user taps
//   entries_, returns_    by system call       taps of calls, which are also in kinds_
//
// ArmedTap::place is its index in the list of its kind or file, so removing one of a million needs no search.
//
// events() and the sets of calls are recomputed from these lists at each change: a thread stops only for what some tap
// wants.
#include "runtime/guard/taps.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <span>

#include "runtime/base/find.h"
#include "runtime/base/kept_fds.h"
#include "runtime/guard/targets.h"

namespace sonde::guard {
namespace {

constexpr uint32_t kMostTaps = INT32_MAX / 2;  // in a list: ArmedTap::place

Error about_tap(const Tap& tap, const std::string& what, int code) {
  return Error("tap " + std::to_string(tap.id.value) + ": " + what, code);
}

/// Removes the tap from the list that `place` indexes; the last tap takes its place.
void drop(std::vector<ArmedTap*>& from, const ArmedTap* tap) {
  from[tap->place] = from.back();
  from[tap->place]->place = tap->place;
  from.pop_back();
}

void add_call(utrace_syscall_set& set, uint32_t call) {
  for (uint32_t number : numbers_of_call(call)) set.add(number);
}

utrace_syscall_set call_set(std::span<const std::vector<ArmedTap*>, kUnnamedCall + 1> taps) {
  utrace_syscall_set set;
  for (uint32_t call = 0; call <= kUnnamedCall; call++)
    if (!taps[call].empty()) add_call(set, call);
  return set;
}

void add_calls(utrace_syscall_set& set, sonde_tap_kind kind) {
  for (uint32_t call : kCan.calls_behind[kind]) add_call(set, call);
}

/// A number may have been given to a new process meanwhile: that one is no target.
bool covers_process(uint32_t pid, bool forks, const Process& process) {
  const auto of = static_cast<pid_t>(pid);
  return of == 0 || (process.origin == of && (forks || process.pid == of));
}

/// An error that says what this source lacks.
Error about_source(const std::string& lacks) {
  return Error("the " + std::string(kPtraceRow.name) + " source " + lacks, EOPNOTSUPP);
}

/// The file that the path leads to now; of a served one what the client knows.
Result<TappedFile> find_tapped(const Tap& tap) {
  const std::string& path = tap.path;
  if (path == kVdsoPath || path == SONDE_PATH_CODE) return TappedFile{.path = path};
  if (const FileId known{tap.major, tap.minor, tap.inode}; tap.inode != 0)
    return TappedFile{.path = path, .number = known, .shown = known, .served = true};
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) return Error::from_errno(path);
  const FileId number{static_cast<uint32_t>(major(file.st_dev)), static_cast<uint32_t>(minor(file.st_dev)),
                      file.st_ino};
  return TappedFile{.path = path, .number = number};
}

}  // namespace

Result<void> TapTable::check(const Tap& tap) const {
  if (taps_.contains(tap.id.value)) return about_tap(tap, "this id is armed already", EEXIST);
  if (tap.probe.value == 0) return about_tap(tap, "it names no probe", EINVAL);
  const bool call = tap.kind == SONDE_TAP_SYSCALL_ENTRY || tap.kind == SONDE_TAP_SYSCALL_RETURN;
  if (call && (tap.number > kUnnamedCall || (tap.number < kUnnamedCall && tap.offset != 0) || tap.offset > UINT32_MAX))
    return about_tap(tap, "no such system call", EINVAL);
  if (!kCan.taps.contains(tap.kind)) {
    const std::string others = sources_with([&](const SourceCapabilities& can) { return can.taps.contains(tap.kind); });
    const std::string own(kPtraceRow.name);
    return about_tap(tap, own + " does not show this; " + (others.empty() ? "no" : "the " + others) + " source does",
                     EOPNOTSUPP);
  }
  if (tap.kind == SONDE_TAP_PROFILE && tap.offset < SONDE_PERIOD_MIN)
    return about_tap(tap, "its period is too short", EINVAL);
  if (is_user_tap(tap.kind) && tap.path.empty()) return about_tap(tap, "it names no file", EINVAL);
  if (tap.path == SONDE_PATH_CODE && (tap.pid == 0 || tap.number == 0))
    return about_tap(tap, "it does not say in which process, or what its text is", EINVAL);
  if (tap.kind == SONDE_TAP_USER_RETURN && tap.leave.how == SONDE_LEAVE_NONE)
    return about_tap(tap, "it does not say by what instruction the function returns", EINVAL);
  return {};
}

bool TappedFile::restarts_at(uint64_t offset) {
  if (!sequences) sequences = served ? std::vector<CodeRange>() : restartable_sequences(path);
  return std::ranges::any_of(*sequences, [offset](const CodeRange& range) { return range.contains(offset); });
}

Result<TappedFile*> TapTable::file_of(const Tap& tap) {
  auto found = find_tapped(tap);
  if (!found) return std::move(found).error();
  std::unique_ptr<TappedFile>& known = files_[{found->path, found->number}];
  if (known != nullptr) return known.get();
  known = std::make_unique<TappedFile>(*std::move(found));
  if (known->number == FileId{} || known->served) return known.get();
  known->shown = shown_number(known->path);
  known->held.reset(open(known->path.c_str(), O_PATH | O_CLOEXEC));
  if (known->held.get() > highest_kept_fd()) known->held.reset();
  return known.get();
}

Result<ArmedTap*> TapTable::add(const Tap& tap, const ArmedTap* before) {
  if (auto good = check(tap); !good) return std::move(good).error();
  TappedFile* of = nullptr;
  if (is_user_tap(tap.kind)) {
    const bool same = before != nullptr && before->file != nullptr && before->file->path == tap.path;
    auto file = same ? Result<TappedFile*>(before->file) : file_of(tap);
    if (!file) return std::move(file).error();
    of = *file;
    user_taps_[{tap.pid, tap.forks}]++;
  }
  auto& list = of != nullptr ? of->taps : kinds_[tap.kind];
  const ArmedTap made{
      tap.id.value,
      tap.probe.value,
      tap.pid,
      tap.number,
      of,
      tap.offset,
      tap.function,
      tap.leave,
      tap.kind,
      tap.sum,
      tap.forks,
      tap.nop,
      static_cast<uint32_t>(list.size()) & kMostTaps,
      tap.locations.empty() ? nullptr : std::make_shared<const std::vector<sonde_location>>(tap.locations)};
  ArmedTap* armed = &taps_.emplace(made.id, made).first->second;
  list.push_back(armed);
  if (!tap.counters.empty()) of->counters[armed] = tap.counters;
  if (tap.kind == SONDE_TAP_SYSCALL_ENTRY) entries_[tap.number].push_back(armed);
  if (tap.kind == SONDE_TAP_SYSCALL_RETURN) returns_[tap.number].push_back(armed);
  return armed;
}

ArmedTap* TapTable::find(uint32_t id) { return find_in(taps_, id); }

void TapTable::remove(uint32_t id) {
  ArmedTap* armed = find(id);
  if (armed == nullptr) return;
  drop(armed->file != nullptr ? armed->file->taps : kinds_[armed->kind], armed);
  if (armed->file != nullptr) {
    const auto alike = user_taps_.find({armed->pid, armed->forks != 0});
    if (--alike->second == 0) user_taps_.erase(alike);
    armed->file->counters.erase(armed);
    if (armed->file->taps.empty()) files_.erase({armed->file->path, armed->file->number});
  }
  if (armed->kind == SONDE_TAP_SYSCALL_ENTRY) std::erase(entries_[armed->number], armed);
  if (armed->kind == SONDE_TAP_SYSCALL_RETURN) std::erase(returns_[armed->number], armed);
  taps_.erase(id);
}

bool ArmedTap::covers(const Process& process) const { return covers_process(pid, forks, process); }

bool TapTable::any_user(const Process& process) const {
  return std::ranges::any_of(
      user_taps_, [&](const auto& alike) { return covers_process(alike.first.first, alike.first.second, process); });
}

bool TapTable::any_counter() const {
  return std::ranges::any_of(files_, [](const auto& one) { return !one.second->counters.empty(); });
}

std::vector<uint32_t> TapTable::ids() const {
  std::vector<uint32_t> result;
  for (const auto& [id, tap] : taps_) result.push_back(id);
  return result;
}

uint32_t TapTable::events() const {
  uint32_t events = UTRACE_EVENT_EXEC | UTRACE_EVENT_EXIT | UTRACE_EVENT_DEATH;
  if (any(SONDE_TAP_CREATE) || any(SONDE_TAP_LWP_CREATE)) events |= UTRACE_EVENT_CLONE;
  if (any(SONDE_TAP_SYSCALL_ENTRY) || any(SONDE_TAP_EXEC)) events |= UTRACE_EVENT_SYSCALL_ENTRY;
  if (any(SONDE_TAP_SYSCALL_RETURN) || any(SONDE_TAP_EXEC_FAILURE) || any(SONDE_TAP_SIGNAL_SEND))
    events |= UTRACE_EVENT_SYSCALL_EXIT;
  if (any(SONDE_TAP_SIGNAL_DELIVER) || any(SONDE_TAP_SIGNAL_DISCARD)) events |= UTRACE_EVENT_SIGNAL_ALL;
  return events;
}

utrace_syscall_set TapTable::entry_set() const {
  utrace_syscall_set set = call_set(entries_);
  if (any(SONDE_TAP_EXEC)) add_calls(set, SONDE_TAP_EXEC);
  return set;
}

utrace_syscall_set TapTable::return_set() const {
  utrace_syscall_set set = call_set(returns_);
  for (auto kind : {SONDE_TAP_EXEC_FAILURE, SONDE_TAP_SIGNAL_SEND})
    if (any(kind)) add_calls(set, kind);
  return set;
}

std::vector<ArmedTap*> taps_of_number(const std::vector<ArmedTap*>& taps, uint32_t number) {
  std::vector<ArmedTap*> given, any;
  for (ArmedTap* tap : taps) {
    if (tap->offset == number)
      given.push_back(tap);
    else if (tap->offset == 0)
      any.push_back(tap);
  }
  return given.empty() ? any : given;
}

std::vector<uint32_t> numbers_of_call(uint32_t call) {
  std::vector<uint32_t> numbers;
  if (call == kUnnamedCall) {
    for (uint32_t number = 0; number < kUnnamedCall; number++)
      if (call_of_number(number) == kUnnamedCall) numbers.push_back(number);
    numbers.push_back(utrace_syscall_set::kFar);
  }
  if (call < kCompatCalls) numbers.push_back(call);
  if (const auto compat = compat_number(call)) numbers.push_back(kCompatCalls + *compat);
  return numbers;
}

Result<void> EcbTable::load(uint32_t id, OwnedProgram code) {
  char why[200] = "";
  const int verdict = sonde_dif_verify(&code.view, why, sizeof why);
  if (verdict != 0) return Error("program " + std::to_string(id) + ": " + why, -verdict);
  LoadedProgram program;
  program.needs = sonde_dif_needs(&code.view);
  if (program.needs.kernel != 0) return about_source("does not see the kernel: its memory, its stacks and curthread");
  if ((program.needs.texts & ~kCan.texts.bits()) != 0)
    return about_source("cannot capture a system call's arguments as one text");
  constexpr uint32_t kOfStack = 1u << SONDE_DIF_VAR_UCALLER | 1u << SONDE_DIF_VAR_USTACKDEPTH;
  walks_stacks_ = walks_stacks_ || program.needs.frames != 0 || (program.needs.variables & kOfStack) != 0;
  program.code = std::move(code);
  if (!programs_.emplace(id, std::move(program)).second)
    return Error("program " + std::to_string(id) + " is loaded already", EEXIST);
  return {};
}

Result<void> EcbTable::add(const std::vector<sonde_ecb>& ecbs) {
  std::map<uint32_t, int> fresh;
  for (const sonde_ecb& ecb : ecbs) {
    if (!programs_.contains(ecb.program))
      return Error("no program " + std::to_string(ecb.program) + " is loaded", ENOENT);
    if (probe_of_.contains(ecb.epid) || fresh[ecb.epid]++ != 0)
      return Error("ECB " + std::to_string(ecb.epid) + " is there already", EEXIST);
  }
  for (const sonde_ecb& ecb : ecbs) {
    Ecbs& list = by_probe_[ecb.probe];
    const bool last = list.empty() || std::prev(list.end())->epid < ecb.epid;
    list.push_back({&programs_.find(ecb.program)->second, ecb.epid, (ecb.flags & SONDE_ECB_HELD) != 0});
    if (!last) std::ranges::sort(list, {}, &ArmedEcb::epid);
    probe_of_[ecb.epid] = ecb.probe;
  }
  return {};
}

Result<void> EcbTable::remove(const std::vector<uint32_t>& epids) {
  bool missing = false;
  for (uint32_t epid : epids) {
    auto found = probe_of_.find(epid);
    missing = missing || found == probe_of_.end();
    if (found == probe_of_.end()) continue;
    auto list = by_probe_.find(found->second);
    list->second.erase_if([&](const ArmedEcb& ecb) { return ecb.epid == epid; });
    if (list->second.empty()) by_probe_.erase(list);
    probe_of_.erase(found);
  }
  if (missing) return Error("no such ECB", ENOENT);
  return {};
}

const EcbTable::Ecbs* EcbTable::of(uint32_t probe) const { return find_in(by_probe_, probe); }

}  // namespace sonde::guard
