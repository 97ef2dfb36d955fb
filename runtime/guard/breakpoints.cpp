// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/guard/breakpoints.h"

#include <algorithm>
#include <unordered_set>

namespace sonde::guard {
namespace {

constexpr size_t kCallsKept = 4096;        // a thread's notes; recursion deeper than this loses the oldest
constexpr uint64_t kSameStack = 1u << 20;  // notes this near are taken for the same stack
constexpr uint64_t kReturnOffsetUnknown = UINT64_MAX;

bool same_file(const ArmedTap& tap, const Mapping& mapping) {
  if (tap.tap.path == mapping.path) return true;
  return tap.inode == mapping.inode && tap.major == mapping.major && tap.minor == mapping.minor;
}

Firing firing_of(const ArmedTap& tap) {
  Firing firing;
  firing.probe = tap.tap.probe.value;
  return firing;
}

bool wants_returns(const Site& site, pid_t pid) {
  return std::any_of(site.taps.begin(), site.taps.end(),
                     [pid](const ArmedTap* tap) { return tap->tap.kind == SONDE_TAP_USER_RETURN && tap->covers(pid); });
}

}  // namespace

bool Breakpoints::covered(const Process& process) const {
  const auto taps = taps_.user_taps();
  return std::any_of(taps.begin(), taps.end(), [&](const ArmedTap* tap) { return tap->covers(process.pid); });
}

/// The first time: reads the mappings, and sees to later ones. Whether that was this time.
bool Breakpoints::prepare(Process& process) {
  AddressSpace& space = *process.space;
  if (space.scanned()) return false;
  space.refresh(process.pid);
  if (space.compat()) {
    events_.notice("process " + std::to_string(process.pid) + " runs 32-bit code: its functions cannot be probed");
    return true;
  }
  for (ArmedTap* tap : taps_.user_taps()) {
    if (tap->covers(process.pid)) arm_in(process, *tap, space.mappings());
  }
  watch_linker(process);
  return true;
}

void Breakpoints::watch_linker(Process& process) {
  AddressSpace& space = *process.space;
  std::string why;
  const uint64_t linker = space.linker_breakpoint();
  if (Site* site = linker != 0 ? space.insert(linker, why) : nullptr) {
    site->linker = true;
    return;
  }
  if (process.at_entry) return;
  const uint64_t before = space.linker_function();
  if (Site* site = before != 0 ? space.insert(before, why) : nullptr) site->linker = true;
  if (Site* entry = space.entry() != 0 ? space.insert(space.entry(), why) : nullptr) entry->program_entry = true;
}

void Breakpoints::arm_in(Process& process, ArmedTap& tap, const std::vector<Mapping>& mappings) {
  AddressSpace& space = *process.space;
  const uint64_t offset = tap.site_offset();
  for (const Mapping& mapping : mappings) {
    const bool inside = offset >= mapping.offset && offset - mapping.offset < mapping.end - mapping.start;
    if (!mapping.executable || !inside || !same_file(tap, mapping)) continue;
    std::string why;
    Site* site = space.insert(mapping.start + (offset - mapping.offset), why);
    if (site == nullptr) {
      char place[32];
      std::snprintf(place, sizeof place, "+0x%lx", offset);
      events_.notice("process " + std::to_string(process.pid) + ": no probe at " + tap.tap.path + place + ": " + why);
    } else if (std::find(site->taps.begin(), site->taps.end(), &tap) == site->taps.end()) {
      site->taps.push_back(&tap);
    }
  }
}

void Breakpoints::arm(ArmedTap& tap) {
  for (auto& [pid, process] : targets_.processes()) {
    if (!tap.covers(pid) || process->leaving || process->space->compat()) continue;
    if (!prepare(*process)) arm_in(*process, tap, process->space->mappings());
  }
}

void Breakpoints::disarm(ArmedTap& tap) {
  std::unordered_set<AddressSpace*> seen;
  for (auto& [pid, process] : targets_.processes()) {
    AddressSpace& space = *process->space;
    if (!seen.insert(&space).second) continue;
    std::vector<uint64_t> touched;
    for (auto& [address, site] : space.sites()) {
      if (std::erase(site.taps, &tap) > 0) touched.push_back(address);
    }
    for (uint64_t address : touched) space.remove_unused(address);
  }
  if (tap.tap.kind != SONDE_TAP_USER_RETURN) return;
  for (auto& [tid, thread] : targets_.threads()) {
    AddressSpace& space = *thread->process->space;
    auto gone = std::partition(thread->calls.begin(), thread->calls.end(), [&](const ShadowCall& call) {
      Site* site = space.site(call.function);
      return site != nullptr && wants_returns(*site, thread->process->pid);
    });
    const std::vector<ShadowCall> dropped(gone, thread->calls.end());
    thread->calls.erase(gone, thread->calls.end());
    for (const ShadowCall& call : dropped) forget_call(*thread, call);
  }
  if (taps_.of(SONDE_TAP_USER_RETURN).size() > 1) return;  // this is not the last one
  for (AddressSpace* space : seen) {
    std::vector<uint64_t> touched;
    for (auto& [address, site] : space->sites()) {
      if (std::exchange(site.returned, false)) touched.push_back(address);
    }
    for (uint64_t address : touched) space->remove_unused(address);
  }
}

void Breakpoints::adopt(Process& process) {
  process.space = std::make_shared<AddressSpace>(process.pid);
  process.at_entry = false;
  if (!process.leaving && (process.followed || covered(process))) prepare(process);
}

void Breakpoints::follow(Process& process) {
  process.followed = true;
  prepare(process);
}

void Breakpoints::tell_mapped(Thread& thread, const Mapping& mapping) {
  if (thread.process->followed) thread.unseen++;
  events_.mapped(thread, mapping);
}

void Breakpoints::tell_program(Thread& thread) {
  if (!thread.process->followed) return;
  for (const Mapping& mapping : thread.process->space->mappings()) {
    if (mapping.executable) tell_mapped(thread, mapping);
  }
}

void Breakpoints::forked(Process& child, const Process& parent, bool shares_memory) {
  if (shares_memory) {
    child.space = parent.space;
    return;
  }
  child.space = std::make_shared<AddressSpace>(child.pid, *parent.space);
  child.at_entry = parent.at_entry;
  std::vector<uint64_t> touched;
  for (auto& [address, site] : child.space->sites()) {
    std::erase_if(site.taps, [&](const ArmedTap* tap) { return !tap->covers(child.pid); });
    site.returns = 0;
    site.returned = false;
    if (site.lifted > 0) {  // another thread of the parent is stepping it in place
      site.lifted = 0;
      child.space->write(address, &kBreakpointByte, 1);
    }
    touched.push_back(address);
  }
  // inherit_calls() counts its returns in again before anything runs.
  for (uint64_t address : touched) child.space->remove_unused(address);
}

void Breakpoints::inherit_calls(Thread& child, const Thread& parent) {
  for (const ShadowCall& call : parent.calls) {
    Site* function = child.process->space->site(call.function);
    if (function == nullptr || !wants_returns(*function, child.process->pid)) continue;
    std::string why;
    Site* site = child.process->space->insert(call.address, why);
    if (site == nullptr) continue;
    site->returns++;
    child.calls.push_back(call);
  }
}

bool Breakpoints::want_entry(Process& process) {
  std::string why;
  if (process.at_entry || process.space->compat() || process.space->entry() == 0) return false;
  if (!process.space->scanned()) process.space->refresh(process.pid);
  Site* site = process.space->insert(process.space->entry(), why);
  if (site == nullptr) return false;
  site->program_entry = true;
  process.run_to_entry = true;
  return true;
}

void Breakpoints::want_constructors(Process& process) {
  std::string why;
  const uint64_t linker = process.space->linker_function();
  Site* site = linker != 0 ? process.space->insert(linker, why) : nullptr;
  if (site == nullptr) return;
  site->linker = true;
  process.run_to_constructors = true;
}

/// The program that was to run to its entry, or to its constructors, stops here for GO.
void Breakpoints::arrive(Process& process) {
  process.at_entry = true;
  process.waiting = true;
  drop_entry(process);
}

void Breakpoints::drop_entry(Process& process) {
  process.run_to_entry = process.run_to_constructors = false;
  if (Site* site = process.space->site(process.space->entry())) {
    site->program_entry = false;
    process.space->remove_unused(site->address);
  }
}

/// New mappings: breakpoints into them, and the consumer is told. Mappings that went: their breakpoints went with them.
void Breakpoints::look_again(Thread& thread) {
  Process& process = *thread.process;
  AddressSpace& space = *process.space;
  const std::vector<Mapping> fresh = space.refresh(process.pid);
  std::vector<uint64_t> lost;
  for (const auto& [address, site] : space.sites()) {
    uint8_t byte = 0;
    if (!space.read(address, &byte, 1) || (byte != kBreakpointByte && site.lifted == 0)) lost.push_back(address);
  }
  for (uint64_t address : lost) space.forget(address);
  for (ArmedTap* tap : taps_.user_taps()) {
    if (tap->covers(process.pid)) arm_in(process, *tap, space.mappings());
  }
  for (const Mapping& mapping : fresh) tell_mapped(thread, mapping);
}

Breakpoints::Trap Breakpoints::hit(Thread& thread, user_regs_struct& regs, std::vector<Firing>& firings) {
  Process& process = *thread.process;
  AddressSpace& space = *process.space;
  const uint64_t address = regs.rip - 1;
  Site* site = space.site(address);
  if (site == nullptr) {
    if (!space.was_ours(address)) return Trap::NotOurs;
    regs.rip = address;
    return Trap::Ours;
  }
  regs.rip = address;
  thread.at_site = address;
  if (thread.skip_site == address && thread.skip_sp == regs.rsp) {
    thread.skip_site = 0;
    return Trap::Ours;
  }
  if (site->program_entry) {
    const bool asked = process.run_to_entry;
    process.at_entry = true;
    if (asked)
      arrive(process);
    else
      drop_entry(process);
    look_again(thread);
    if (asked || process.followed || covered(process)) watch_linker(process);
  } else if (site->linker) {
    if (process.run_to_constructors && space.linker_done()) arrive(process);
    look_again(thread);
  }
  site = space.site(address);
  if (site == nullptr) {
    thread.at_site = 0;
    return Trap::Ours;
  }
  if (site->returns > 0 || site->returned) take_returns(thread, *site, regs, firings);
  if ((site = space.site(address)) != nullptr) fire_taps(thread, *site, regs, firings);
  if (space.site(address) == nullptr) thread.at_site = 0;
  return Trap::Ours;
}

void Breakpoints::fire_taps(const Thread& thread, const Site& site, const user_regs_struct& regs,
                            std::vector<Firing>& firings) {
  const pid_t pid = thread.process->pid;
  const std::vector<ArmedTap*> taps = site.taps;  // note_call() may move the sites
  const uint64_t address = site.address;
  if (wants_returns(site, pid)) note_call(const_cast<Thread&>(thread), regs, address);
  for (const ArmedTap* tap : taps) {
    if (!tap->covers(pid) || tap->tap.kind == SONDE_TAP_USER_RETURN) continue;
    Firing firing = firing_of(*tap);
    for (unsigned i = 0; i < 6; i++) firing.args[i] = function_argument(regs, i);
    firing.at_entry = tap->tap.kind == SONDE_TAP_USER_ENTRY || tap->tap.offset == tap->tap.function;
    firing.stack_arguments = tap->tap.kind == SONDE_TAP_USER_ENTRY;
    firings.push_back(std::move(firing));
  }
}

void Breakpoints::note_call(Thread& thread, const user_regs_struct& regs, uint64_t function) {
  ShadowCall call{regs.rsp + 8, 0, function};
  if (!read_target(thread, regs.rsp, &call.address, sizeof call.address)) return;
  // What else returned from this place of the stack is gone, unless it was left by a jump to this function.
  std::vector<ShadowCall> stale;
  std::erase_if(thread.calls, [&](const ShadowCall& other) {
    const bool gone = other.sp == call.sp && (other.address != call.address || other.function == function);
    if (gone) stale.push_back(other);
    return gone;
  });
  if (thread.calls.size() >= kCallsKept) {
    stale.push_back(thread.calls.front());
    thread.calls.erase(thread.calls.begin());
  }
  std::string why;
  if (Site* site = thread.process->space->insert(call.address, why)) {
    site->returns++;
    thread.calls.push_back(call);
  } else {
    events_.notice("process " + std::to_string(thread.process->pid) + ": a return cannot be seen: " + why);
  }
  // Last, so that the usual case, the same place again, leaves the breakpoint where it is.
  for (const ShadowCall& other : stale) forget_call(thread, other);
}

void Breakpoints::take_returns(Thread& thread, Site& site, const user_regs_struct& regs, std::vector<Firing>& firings) {
  AddressSpace& space = *thread.process->space;
  const uint64_t address = site.address;
  std::vector<ShadowCall> returning, stale;
  size_t first = thread.calls.size();
  for (size_t i = 0; i < thread.calls.size(); i++) {
    if (thread.calls[i].sp == regs.rsp && thread.calls[i].address == address) first = std::min(first, i);
  }
  for (size_t i = first; i < thread.calls.size();) {
    const ShadowCall call = thread.calls[i];
    const bool returns = call.sp == regs.rsp && call.address == address;
    const bool left_behind = call.sp < regs.rsp && regs.rsp - call.sp < kSameStack;
    if (!returns && !left_behind) {
      i++;
      continue;
    }
    (returns ? returning : stale).push_back(call);
    thread.calls.erase(thread.calls.begin() + static_cast<ptrdiff_t>(i));
  }
  for (auto call = returning.rbegin(); call != returning.rend(); ++call) {
    const Site* function = space.site(call->function);
    if (function == nullptr) continue;
    for (const ArmedTap* tap : function->taps) {
      if (tap->tap.kind != SONDE_TAP_USER_RETURN || !tap->covers(thread.process->pid)) continue;
      Firing firing = firing_of(*tap);
      firing.args[0] = tap->tap.offset > tap->tap.function ? tap->tap.offset - tap->tap.function : kReturnOffsetUnknown;
      firing.args[1] = regs.rax;
      firings.push_back(std::move(firing));
    }
  }
  // The breakpoint stays when the last call has returned: the next one is likely to come from the same place. It goes
  // when the program comes by without a call of ours.
  site.returns -= std::min<uint32_t>(site.returns, static_cast<uint32_t>(returning.size()));
  site.returned = !returning.empty() || site.returns > 0;
  for (const ShadowCall& call : stale) forget_call(thread, call);
  space.remove_unused(address);
}

void Breakpoints::forget_call(Thread& thread, const ShadowCall& call) {
  AddressSpace& space = *thread.process->space;
  Site* site = space.site(call.address);
  if (site == nullptr || site->returns == 0) return;
  site->returns--;
  space.remove_unused(call.address);
}

void Breakpoints::advance(Thread& thread, user_regs_struct& regs) {
  const uint64_t address = std::exchange(thread.at_site, 0);
  AddressSpace& space = *thread.process->space;
  Site* site = address != 0 ? space.site(address) : nullptr;
  if (site == nullptr) return;  // taken out meanwhile: the instruction is in its place
  const auto read = [&](uint64_t at, void* to, size_t length) { return read_target(thread, at, to, length); };
  const auto write = [&](uint64_t at, const void* from, size_t length) {
    return write_target(thread, at, from, length);
  };
  if (site->instruction.emulate(regs, read, write)) {
    emulated_++;
    return;
  }
  steps_++;
  const uint64_t slot =
      site->instruction.how() == Instruction::How::Slot || site->instruction.how() == Instruction::How::Push
          ? space.take_slot(*site)
          : 0;
  thread.step = {true, address, slot};
  if (slot != 0)
    regs.rip = slot;
  else
    space.lift(*site);
}

void Breakpoints::end_step(Thread& thread) {
  AddressSpace& space = *thread.process->space;
  if (thread.step.slot != 0)
    space.give_slot(thread.step.slot);
  else
    space.lower(thread.step.site);
  thread.step = {};
}

bool Breakpoints::stepped(Thread& thread, user_regs_struct& regs) {
  if (!thread.step.active) return false;
  const Step step = thread.step;
  const Site* site = thread.process->space->site(step.site);
  const uint64_t from = step.slot != 0 ? step.slot : step.site;
  if (regs.rip == from && site != nullptr && site->instruction.repeats())
    return true;  // one round of a string instruction
  if (step.slot != 0 && regs.rip - step.slot <= kSlotBytes) regs.rip = step.site + (regs.rip - step.slot);
  end_step(thread);
  return true;
}

void Breakpoints::interrupted(Thread& thread, user_regs_struct& regs) {
  if (!thread.step.active) return;
  const Step step = thread.step;
  const bool before = regs.rip == (step.slot != 0 ? step.slot : step.site);
  if (step.slot != 0 && regs.rip - step.slot <= kSlotBytes) regs.rip = step.site + (regs.rip - step.slot);
  end_step(thread);
  if (!before) return;
  thread.skip_site = step.site;
  thread.skip_sp = regs.rsp;
}

void Breakpoints::thread_gone(Thread& thread) {
  if (thread.step.active) end_step(thread);
  for (const ShadowCall& call : std::exchange(thread.calls, {})) forget_call(thread, call);
}

}  // namespace sonde::guard
