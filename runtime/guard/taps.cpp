// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/guard/taps.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include <algorithm>

namespace sonde::guard {
namespace {

Error about_tap(const Tap& tap, const std::string& what, int code) {
  return Error("tap " + std::to_string(tap.id.value) + ": " + what, code);
}

void drop(std::vector<ArmedTap*>& from, const ArmedTap* tap) { std::erase(from, tap); }

void note_use(LoadedProgram& program, const sonde_dif_insn& insn) {
  if (insn.op == SONDE_DIF_NAMEQ) program.wants_name = true;
  if (insn.op == SONDE_DIF_CAPTEXT && insn.i == SONDE_DIF_TEXT_EXECNAME) program.wants_name = true;
  if (insn.op == SONDE_DIF_ARG && insn.i >= 6) program.wants_stack_arguments = true;
  if (insn.op == SONDE_DIF_VAR && insn.i == SONDE_DIF_VAR_CPU) program.wants_cpu = true;
}

void add_calls(utrace_syscall_set& set, sonde_tap_kind kind) {
  for (uint32_t call : calls_behind(kind)) set.add(call);
}

}  // namespace

std::span<const uint32_t> calls_behind(sonde_tap_kind kind) {
  static constexpr uint32_t kExecs[] = {SYS_execve, SYS_execveat};
  static constexpr uint32_t kSends[] = {
      SYS_kill, SYS_tkill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_pidfd_send_signal};
  if (kind == SONDE_TAP_EXEC || kind == SONDE_TAP_EXEC_FAILURE) return kExecs;
  if (kind == SONDE_TAP_SIGNAL_SEND) return kSends;
  return {};
}

Result<void> TapTable::check(ArmedTap& armed) const {
  const Tap& tap = armed.tap;
  if (taps_.contains(tap.id.value)) return about_tap(tap, "this id is armed already", EEXIST);
  if (tap.probe.value == 0) return about_tap(tap, "it names no probe", EINVAL);
  const bool call = tap.kind == SONDE_TAP_SYSCALL_ENTRY || tap.kind == SONDE_TAP_SYSCALL_RETURN;
  if (call && tap.number >= kCallsMax) return about_tap(tap, "no such system call", EINVAL);
  if (!shows(tap.kind)) return about_tap(tap, "ptrace does not show this; the kmod source does", EOPNOTSUPP);
  if (tap.kind == SONDE_TAP_PROFILE && tap.offset < SONDE_PERIOD_MIN)
    return about_tap(tap, "its period is too short", EINVAL);
  if (!armed.user()) return {};
  if (tap.path.empty()) return about_tap(tap, "it names no file", EINVAL);
  struct stat file;
  if (stat(tap.path.c_str(), &file) != 0) return Error::from_errno(tap.path);
  armed.inode = file.st_ino;
  armed.major = major(file.st_dev);
  armed.minor = minor(file.st_dev);
  return {};
}

ArmedTap& TapTable::add(std::unique_ptr<ArmedTap> owned) {
  ArmedTap* armed = owned.get();
  taps_[armed->tap.id.value] = std::move(owned);
  kinds_[armed->tap.kind].push_back(armed);
  if (armed->tap.kind == SONDE_TAP_SYSCALL_ENTRY) entries_[armed->tap.number].push_back(armed);
  if (armed->tap.kind == SONDE_TAP_SYSCALL_RETURN) returns_[armed->tap.number].push_back(armed);
  return *armed;
}

ArmedTap* TapTable::find(uint32_t id) {
  auto found = taps_.find(id);
  return found == taps_.end() ? nullptr : found->second.get();
}

void TapTable::remove(uint32_t id) {
  ArmedTap* armed = find(id);
  if (armed == nullptr) return;
  drop(kinds_[armed->tap.kind], armed);
  if (armed->tap.number < kCallsMax) {
    drop(entries_[armed->tap.number], armed);
    drop(returns_[armed->tap.number], armed);
  }
  taps_.erase(id);
}

std::vector<uint32_t> TapTable::ids() const {
  std::vector<uint32_t> result;
  for (const auto& [id, tap] : taps_) result.push_back(id);
  return result;
}

std::vector<ArmedTap*> TapTable::user_taps() const {
  std::vector<ArmedTap*> result;
  for (auto kind : {SONDE_TAP_USER_ENTRY, SONDE_TAP_USER_RETURN, SONDE_TAP_USER_OFFSET}) {
    result.insert(result.end(), kinds_[kind].begin(), kinds_[kind].end());
  }
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
  utrace_syscall_set set;
  for (uint32_t number = 0; number < kCallsMax; number++) {
    if (!entries_[number].empty()) set.add(number);
  }
  if (any(SONDE_TAP_EXEC)) add_calls(set, SONDE_TAP_EXEC);
  return set;
}

utrace_syscall_set TapTable::return_set() const {
  utrace_syscall_set set;
  for (uint32_t number = 0; number < kCallsMax; number++) {
    if (!returns_[number].empty()) set.add(number);
  }
  for (auto kind : {SONDE_TAP_EXEC_FAILURE, SONDE_TAP_SIGNAL_SEND}) {
    if (any(kind)) add_calls(set, kind);
  }
  return set;
}

Result<void> EcbTable::load(uint32_t id, OwnedProgram code) {
  char why[200] = "";
  const int verdict = sonde_dif_verify(&code.view, why, sizeof why);
  if (verdict != 0) return Error("program " + std::to_string(id) + ": " + why, -verdict);
  if (sonde_dif_sees_kernel(&code.view) != 0)
    return Error("the ptrace source does not see the kernel: its memory, its stacks and curthread", EOPNOTSUPP);
  auto program = std::make_shared<LoadedProgram>();
  for (const sonde_dif_insn& insn : code.insns) {
    note_use(*program, insn);
    if (insn.op == SONDE_DIF_CAPTEXT && insn.i == SONDE_DIF_TEXT_SYSCALL_ARGS) {
      return Error("the ptrace source cannot capture a system call's arguments as one text", EOPNOTSUPP);
    }
  }
  program->code = std::move(code);
  programs_[id] = std::move(program);
  return {};
}

Result<void> EcbTable::add(const std::vector<sonde_ecb>& ecbs) {
  std::map<uint32_t, int> fresh;
  for (const sonde_ecb& ecb : ecbs) {
    if (!programs_.contains(ecb.program))
      return Error("no program " + std::to_string(ecb.program) + " is loaded", ENOENT);
    if (probe_of_.contains(ecb.epid) || fresh[ecb.epid]++ != 0) {
      return Error("ECB " + std::to_string(ecb.epid) + " is there already", EEXIST);
    }
  }
  for (const sonde_ecb& ecb : ecbs) {
    by_probe_[ecb.probe][ecb.epid] = {ecb.probe, (ecb.flags & SONDE_ECB_HELD) != 0, programs_[ecb.program]};
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
    list->second.erase(epid);
    if (list->second.empty()) by_probe_.erase(list);
    probe_of_.erase(found);
  }
  if (missing) return Error("no such ECB", ENOENT);
  return {};
}

void EcbTable::clear() {
  by_probe_.clear();
  probe_of_.clear();
}

const EcbTable::Ecbs* EcbTable::of(uint32_t probe) const {
  auto found = by_probe_.find(probe);
  return found == by_probe_.end() ? nullptr : &found->second;
}

}  // namespace sonde::guard
