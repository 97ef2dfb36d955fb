// SPDX-License-Identifier: GPL-3.0-or-later
// Sites follow mappings. Whenever a process has mapped or unmapped something, its mappings are read again: new ones get
// breakpoints, and sites in those that are gone are forgotten. A site has a list of its taps and flags for our own
// reasons (entry, linker), and is taken out when it has neither. What cannot be armed in a process (the file has
// changed, the memory is shared) is noted and reported once per batch, because a glob may name ten thousand functions.
#include "runtime/guard/breakpoints.h"

#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>

#include "runtime/base/hex.h"
#include "runtime/guard/stepper.h"
#include "runtime/process/arch.h"
#include "runtime/process/mounts.h"

namespace sonde::guard {
namespace {

/// Calls `act` for each text mapping of `file`.
template <typename Act>
void for_each_text(const AddressSpace& space, const TappedFile& file, Act act) {
  for (const Mapping& mapping : space.mappings())
    if (mapping.executable && file.is(mapping)) act(mapping);
}

/// The tap's address in a mapping of its file; 0: it is outside of the mapping.
uint64_t address_in(const Mapping& mapping, const ArmedTap& tap) {
  const uint64_t at = tap.offset - mapping.offset;
  return tap.offset >= mapping.offset && at < mapping.end - mapping.start ? mapping.start + at : 0;
}

/// When the file was written, ns: another one may get its number. 0: not known.
int64_t time_of(const Mapping& mapping) {
  struct stat file {};
  if (stat(mapping.path.c_str(), &file) != 0 || file.st_ino != mapping.inode) return 0;
  return int64_t{file.st_mtim.tv_sec} * 1'000'000'000 + file.st_mtim.tv_nsec;
}

constexpr const char* kRestarts = "a restartable sequence (rseq) is there, which a breakpoint would abort each time";

/// Why there must not be a breakpoint for this tap, whatever the memory holds; empty: nothing is against it.
std::string reason_against(const Process& process, const ArmedTap& tap, const Mapping& mapping) {
  if (tap.file->restarts_at(tap.offset)) return kRestarts;
  const Interpreter* by = process.interpreter;
  if (by == nullptr || by->is_own(mapping.path)) return "";
  return std::string(by->name) +
         " translates this code, and would take the breakpoint for an instruction of the program";
}

/// Whether the thread would be in a restartable sequence behind the instruction: the kernel aborts the sequence then,
/// because the thread was interrupted.
bool leads_into_sequence(const Site& site, const ArmedTap& tap) {
  const Instruction instruction = site.instruction();
  const auto offset_of = [&](uint64_t address) { return tap.offset + (address - site.address); };
  return tap.file->restarts_at(tap.offset + instruction.length()) ||
         tap.file->restarts_at(offset_of(instruction.target().value_or(site.address)));
}

/// Where a counter is: `file` are all mappings of its file, by address. Segments that share a page of the file map it
/// twice, and the counter is in the last of these; an object that is mapped again begins with the file's first byte.
std::vector<uint64_t> addresses_of_counter(const std::vector<const Mapping*>& file, uint64_t offset) {
  std::vector<uint64_t> found;
  uint64_t last = 0;
  for (const Mapping* one : file) {
    if (one->offset == 0 && last != 0) found.push_back(std::exchange(last, 0));
    const bool has = offset >= one->offset && offset - one->offset < one->end - one->start;
    if (has && one->writable && !one->shared) last = one->start + (offset - one->offset);
  }
  if (last != 0) found.push_back(last);
  return found;
}

int read_word(void* thread, uint64_t address, uint64_t* value) {
  return read_target(*static_cast<const Thread*>(thread), address, value, sizeof *value) ? 0 : -1;
}

}  // namespace

/// At the first call for a process: reads its mappings, arms the taps in them and watches for later ones. Returns
/// whether it was the first.
bool Breakpoints::prepare(Process& process) {
  AddressSpace& space = *process.space;
  if (space.scanned()) return false;
  const std::vector<Mapping> fresh = space.refresh(process.pid);
  process.interpreter = interpreter_in(space.mappings());
  if (space.compat()) return true;
  for (const Mapping& mapping : fresh) {
    arm_all_in(process, mapping);
    watch_clones(process, mapping);
  }
  watch_linker(process);
  settle_counters(process);
  return true;
}

/// The linker has mapped an object's data when it reports its text, so a counter has its page by now.
void Breakpoints::settle_counters(Process& process) {
  AddressSpace& space = *process.space;
  if (!taps_.any_counter() && !space.has_raised()) return;
  std::map<uint64_t, CounterPlace> wanted;
  const auto is_armed = [&](const std::vector<const Mapping*>& texts, const ArmedTap* tap) {
    return std::ranges::any_of(texts, [&](const Mapping* text) {
      const Site* site = space.site(address_in(*text, *tap));
      return site != nullptr && std::ranges::find(site->taps, tap) != site->taps.end();
    });
  };
  for (const auto& [name, file] : taps_.files()) {
    if (file->counters.empty()) continue;
    std::vector<const Mapping*> texts, data;
    for (const Mapping& one : space.mappings()) {
      if (!file->is(one)) continue;
      if (one.executable) texts.push_back(&one);
      data.push_back(&one);
    }
    std::set<uint64_t> offsets;
    for (const auto& [tap, counters] : file->counters)
      if (!texts.empty() && is_armed(texts, tap)) offsets.insert(counters.begin(), counters.end());
    for (const uint64_t offset : offsets)
      for (const uint64_t address : addresses_of_counter(data, offset))
        wanted[address] = {{texts.front()->major, texts.front()->minor, texts.front()->inode}, offset};
  }
  const size_t failed = space.settle_counters(wanted);
  if (failed > 0)
    events_.notice(
        name_of(process) + ": " + std::to_string(failed) +
        " counters of probes cannot be changed: the program does not know that these are traced, or that they "
        "are not any more");
}

void Breakpoints::settle_counters() {
  std::unordered_set<AddressSpace*> seen;
  for (auto& [pid, process] : targets_.processes())
    if (!process->leaving && seen.insert(process->space.get()).second) settle_counters(*process);
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
  (void)watch_linker_function(process);
  (void)watch_entry(process);
}

/// Sets a breakpoint where the program is about to make a child that could hide from us: see clone_loads.h.
void Breakpoints::watch_clones(Process& process, const Mapping& text) {
  if (process.filtered || process.interpreter != nullptr || !text.executable || text.shared) return;
  AddressSpace& space = *process.space;
  const auto read = [&](uint64_t at, void* to, size_t length) { return space.read(at, to, length); };
  std::map<uint64_t, MakesCall> known;  // by function, or pointer to it: many loads lead to the same one
  for (const CloneLoad& load : clone_loads_.in(process.pid, text)) {
    const uint64_t address = text.start + (load.offset - text.offset);
    const uint64_t function = address + static_cast<uint64_t>(load.callee);
    const auto [found, fresh] = known.try_emplace(function, MakesCall::Yes);
    if (fresh && load.callee != 0) found->second = makes_call(function, load.by_pointer, read);
    const MakesCall calls = found->second;
    if (calls == MakesCall::No) continue;
    std::string why;
    Site* site = space.insert(address, why);
    if (site == nullptr) continue;
    site->clone = true;
    if (calls == MakesCall::NotYetKnown) process.unresolved_clones[address] = load;
  }
}

/// The thread loads the number of such a call.
void Breakpoints::pass_clone(Thread& thread, Site& site) {
  Process& process = *thread.process;
  const auto read = [&](uint64_t at, void* to, size_t length) { return process.space->read(at, to, length); };
  if (const auto found = process.unresolved_clones.find(site.address); found != process.unresolved_clones.end()) {
    const CloneLoad load = found->second;
    const MakesCall calls = makes_call(site.address + static_cast<uint64_t>(load.callee), load.by_pointer, read);
    if (calls != MakesCall::NotYetKnown) process.unresolved_clones.erase(found);
    site.clone = calls != MakesCall::No;
  }
  if (site.clone) utrace_watch_clone(thread.task);
}

void Breakpoints::arm_in(Process& process, ArmedTap& tap, const Mapping& mapping) {
  const uint64_t address = address_in(mapping, tap);
  if (address == 0) return;
  std::string why = reason_against(process, tap, mapping);
  Site* site = why.empty() ? process.space->insert(address, why) : nullptr;
  if (site != nullptr && tap.nop && site->bytes[0] != machine::kNop) {
    process.space->remove_unused({address});
    why = "there is no nop any more: the file has changed since its notes were read";
    site = nullptr;
  }
  if (site != nullptr && leads_into_sequence(*site, tap)) {
    process.space->remove_unused({address});
    why = kRestarts;
    site = nullptr;
  }
  if (site == nullptr) {
    refused_[{process.pid, tap.file->path, why}].insert(tap.offset);
  } else if (std::find(site->taps.begin(), site->taps.end(), &tap) == site->taps.end()) {
    site->taps.push_back(&tap);
  }
}

void Breakpoints::notify_refused() {
  for (const auto& [what, offsets] : std::exchange(refused_, {})) {
    const std::string first = "+" + hex(*offsets.begin());
    const std::string where = offsets.size() == 1
                                  ? what.path + first
                                  : std::to_string(offsets.size()) + " places of " + what.path + ", such as " + first;
    events_.notice("process " + std::to_string(what.pid) + ": no probe at " + where + ": " + what.why);
  }
}

/// Arms every tap of the file that this mapping maps.
void Breakpoints::arm_all_in(Process& process, const Mapping& mapping) {
  for (const auto& [name, file] : taps_.files()) {
    if (!mapping.executable || !file->is(mapping)) continue;
    for (ArmedTap* tap : file->taps)
      if (tap->covers(process)) arm_in(process, *tap, mapping);
  }
}

void Breakpoints::arm_code(Process& process, ArmedTap& tap) {
  std::string why;
  Site* site = process.space->insert_code(tap, why);
  if (site != nullptr && std::find(site->taps.begin(), site->taps.end(), &tap) == site->taps.end())
    site->taps.push_back(&tap);
  if (site != nullptr) return;
  events_.notice(name_of(process) + ": no probe at " + hex(tap.offset) + ": " + why);
}

void Breakpoints::arm(ArmedTap& tap) {
  for (auto& [pid, process] : targets_.processes()) {
    if (!tap.covers(*process) || process->leaving || process->space->compat()) continue;
    const bool armed = prepare(*process);
    if (tap.file->path == SONDE_PATH_CODE) {
      arm_code(*process, tap);
      continue;
    }
    if (armed) continue;
    for_each_text(*process->space, *tap.file, [&](const Mapping& mapping) { arm_in(*process, tap, mapping); });
  }
}

void Breakpoints::disarm(const std::vector<ArmedTap*>& taps) {
  std::unordered_set<AddressSpace*> seen;
  for (auto& [pid, process] : targets_.processes()) {
    AddressSpace& space = *process->space;
    if (!seen.insert(&space).second) continue;
    std::vector<uint64_t> left;
    const auto leave = [&](uint64_t address, const ArmedTap* tap) {
      Site* site = address != 0 ? space.site(address) : nullptr;
      if (site == nullptr) return;
      site->taps.erase_if([&](const ArmedTap* other) { return other == tap; });
      left.push_back(address);
    };
    for (const ArmedTap* tap : taps) {
      if (tap->file->path == SONDE_PATH_CODE) leave(tap->offset, tap);
      for_each_text(space, *tap->file, [&](const Mapping& mapping) { leave(address_in(mapping, *tap), tap); });
    }
    space.remove_unused(std::move(left));
  }
  settle_counters();
}

void Breakpoints::adopt(Process& process) {
  process.space = std::make_shared<AddressSpace>(process.pid);
  process.unresolved_clones.clear();
  process.at_entry = false;
  if (process.origin != process.pid) {
    process.origin = 0;
    process.followed = process.forks_followed = false;
  }
  begin(process);
}

void Breakpoints::begin(Process& process) {
  if (!process.leaving && wants(process)) prepare(process);
}

void Breakpoints::follow(Process& process, bool forks) {
  for (auto& [pid, other] : targets_.processes()) {
    if (other.get() != &process && (!forks || other->origin != process.pid)) continue;
    other->followed = true;
    other->forks_followed = forks;
    prepare(*other);
  }
}

void Breakpoints::follow_files(std::string_view wildcard) {
  wanted_.emplace_back(wildcard);
  for (auto& [pid, process] : targets_.processes()) {
    if (process->leaving) continue;
    prepare(*process);
    for (const Mapping& mapping : process->space->mappings())
      if (mapping.executable && is_news(pid, mapping)) events_.mapped(pid, mapping, 0);
  }
}

/// Whether its breakpoints must follow its mappings.
bool Breakpoints::wants(const Process& process) const {
  return process.followed || !wanted_.empty() || taps_.any_user(process);
}

/// Whether the consumer follows the file, and does not know it yet.
bool Breakpoints::is_news(pid_t pid, const Mapping& mapping) {
  const bool wanted = std::ranges::any_of(wanted_, [&](const Glob& one) { return one.matches(mapping.path); });
  if (!wanted) return false;
  const FileId id{mapping.major, mapping.minor, mapping.inode};
  return offered_.emplace(id, is_served(pid, mapping.major, mapping.minor) ? 0 : time_of(mapping)).second;
}

/// A program that is still being started does not wait: the consumer looks at its files when it has arrived.
void Breakpoints::notify_mapped(Thread& thread, const Mapping& mapping) {
  const Process& process = *thread.process;
  const bool starts = process.waiting || process.run_to_entry;
  const bool waits = (is_news(process.pid, mapping) && !starts) || process.followed;
  if (waits) thread.unacknowledged++;
  events_.mapped(process.pid, mapping, waits ? thread.tid : 0);
}

void Breakpoints::notify_program(Thread& thread) {
  if (!thread.process->followed && wanted_.empty()) return;
  for (const Mapping& mapping : thread.process->space->mappings())
    if (mapping.executable) notify_mapped(thread, mapping);
}

void Breakpoints::forked(Process& child, const Process& parent, bool shares_memory) {
  child.origin = parent.origin;
  child.followed = child.forks_followed = parent.forks_followed;
  if (shares_memory) {
    child.space = parent.space;
    return;
  }
  const auto covers = [&](const ArmedTap* tap) { return tap->covers(child); };
  const bool tapped = taps_.any_user(child);
  child.space = std::make_shared<AddressSpace>(child.pid, *parent.space, [&](const Site& site) {
    return site.program_entry || site.linker || (site.clone && tapped) || std::ranges::any_of(site.taps, covers);
  });
  child.unresolved_clones = parent.unresolved_clones;
  child.at_entry = parent.at_entry;
  for (auto& [address, site] : child.space->sites()) site.taps.erase_if(std::not_fn(covers));
  settle_counters(child);
}

Result<void> Breakpoints::want_entry(Process& process) {
  if (!process.space->scanned()) process.space->refresh(process.pid);
  auto watched = process.space->awaits_program() ? watch_linker_function(process) : watch_entry(process);
  process.run_to_entry = watched.has_value();
  return watched;
}

Result<void> Breakpoints::watch_entry(Process& process) {
  std::string why;
  const uint64_t entry = process.space->entry();
  if (entry == 0 || !process.space->memory().can_open()) return Error(process.space->why_no_entry(), ENOTSUP);
  Site* site = process.space->insert(entry, why);
  if (site == nullptr) return Error("no breakpoint at its entry point: " + why, ENOTSUP);
  site->program_entry = true;
  return {};
}

Result<void> Breakpoints::watch_linker_function(Process& process) {
  std::string why;
  const uint64_t linker = process.space->linker_function();
  if (linker == 0) return Error("its dynamic linker has no _dl_debug_state", ENOTSUP);
  Site* site = process.space->insert(linker, why);
  if (site == nullptr) return Error("no breakpoint in its dynamic linker: " + why, ENOTSUP);
  site->linker = true;
  return {};
}

void Breakpoints::want_constructors(Process& process) {
  process.run_to_constructors = watch_linker_function(process).has_value();
}

/// run_to_entry has ended: the program waits here for GO.
void Breakpoints::arrive(Process& process) {
  process.at_entry = true;
  process.waiting = true;
  drop_entry(process);
}

void Breakpoints::drop_entry(Process& process) {
  process.run_to_entry = process.run_to_constructors = false;
  if (Site* site = process.space->site(process.space->entry())) {
    site->program_entry = false;
    process.space->remove_unused({site->address});
  }
}

void Breakpoints::notice_uprobes(Process& process, const AddressSpace& seen) {
  if (!seen.has_uprobes() || !process.space->had_sites() || std::exchange(process.told_of_uprobes, true)) return;
  events_.notice(name_of(process) +
                 " has uprobes of another tracer: where a probe of sonde is at the same instruction as one of these, "
                 "its hits are not seen");
}

/// Sets breakpoints in new mappings and reports the mappings to the consumer. Breakpoints in old mappings went with
/// them.
void Breakpoints::look_again(Thread& thread) {
  Process& process = *thread.process;
  const std::vector<Mapping> fresh = process.space->refresh(process.pid);
  for (const Mapping& mapping : fresh) {
    arm_all_in(process, mapping);
    watch_clones(process, mapping);
  }
  settle_counters(process);
  notify_refused();
  notice_uprobes(process, *process.space);
  for (const Mapping& mapping : fresh) notify_mapped(thread, mapping);
}

/// Whether an int3 at which no breakpoint is known is ours. If it is one that the program has moved, the taps of the text
/// there are armed first.
bool Breakpoints::belongs_to_us(Thread& thread, uint64_t address) {
  AddressSpace& space = *thread.process->space;
  const AddressSpace::Owner owner = space.owner_of(address);
  if (owner != AddressSpace::Owner::Recovered) return owner != AddressSpace::Owner::Program;
  look_again(thread);
  if (space.site(address) == nullptr && !std::exchange(thread.process->told_of_copies, true))
    events_.notice(name_of(*thread.process) + " runs a copy of probed code, at " + hex(address) +
                   ": the copies of the breakpoints are taken out, and calls of it do not fire");
  return true;
}

bool Breakpoints::is_at_breakpoint(Thread& thread, const machine::Registers& regs) {
  AddressSpace& space = *thread.process->space;
  const Site* site = space.site(machine::breakpoint_address(regs));
  return site != nullptr && site->lifted == 0;
}

Breakpoints::Trap Breakpoints::hit(Thread& thread, machine::Registers& regs, std::vector<Firing>& firings) {
  Process& process = *thread.process;
  AddressSpace& space = *process.space;
  const uint64_t address = machine::breakpoint_address(regs);
  if (space.site(address) == nullptr && !belongs_to_us(thread, address)) return Trap::NotOurs;
  space.settle_debts();
  Site* site = space.site(address);
  machine::set_pc(regs, address);
  thread.at_site = address;  // even if the breakpoint is gone: the kernel has forced its SIGTRAP all the same
  if (site == nullptr) return Trap::Ours;
  if (take_reported(thread, regs)) return Trap::Ours;
  if (site->program_entry) {
    const bool asked = process.run_to_entry;
    process.at_entry = true;
    if (asked)
      arrive(process);
    else
      drop_entry(process);
    look_again(thread);
    if (asked || wants(process)) watch_linker(process);
  } else if (site->linker) {
    if (process.run_to_constructors && space.linker_done()) arrive(process);
    look_again(thread);
    if (process.run_to_entry)
      (void)watch_entry(process);  // a linker that was started as a program may have mapped it now
  } else if (site->clone) {
    pass_clone(thread, *site);
    space.remove_unused({address});
  }
  if ((site = space.site(address)) != nullptr) fire_taps(thread, *site, regs, firings);
  return Trap::Ours;
}

/// An entry tap with a `leave` is on a jump to the function's own first instruction. It does not fire. When the jump is
/// taken, it notes the target and the stack pointer; the hit at the entry that follows is thus known not to be a call.
void Breakpoints::fire_taps(Thread& thread, const Site& site, const machine::Registers& regs,
                            std::vector<Firing>& firings) {
  const uint64_t sp = machine::sp(regs);
  const bool reentered = thread.reentered == site.address && thread.reentered_sp == sp;
  if (reentered || sp > thread.reentered_sp) thread.reentered = 0;
  for (const ArmedTap* armed : site.taps) {
    const ArmedTap& tap = *armed;
    if (!tap.covers(*thread.process)) continue;
    const bool judged = tap.leave.how != SONDE_LEAVE_NONE;
    if (judged) {
      sonde_leave_state state = leave_state(regs);
      state.read = read_word;
      state.context = &thread;
      if (!sonde_leaves(&tap.leave, &state)) continue;
    }
    const bool entry = tap.kind == SONDE_TAP_USER_ENTRY;
    if (entry && judged) {
      thread.reentered = site.address - (tap.offset - tap.function);
      thread.reentered_sp = sp;
    }
    if (entry && (judged || reentered)) continue;
    Firing& firing = firings.emplace_back();
    firing.probe = tap.probe;
    firing.at_edge = tap.kind != SONDE_TAP_USER_OFFSET || tap.offset == tap.function;
    firing.stack_arguments = entry;
    firing.locations = tap.locations;
    if (tap.kind == SONDE_TAP_USER_RETURN) {
      sonde_leave_args(firing.args.data(), tap.offset - tap.function, machine::function_result(regs));
    } else {
      for (unsigned i = 0; i < machine::kRegisterArguments; i++) firing.args[i] = machine::function_argument(regs, i);
    }
  }
}

bool Breakpoints::catch_return(Thread& thread, const Sleep& sleep) {
  AddressSpace& space = *thread.process->space;
  std::string why;
  Site* site = space.is_behind_call(sleep.pc) ? space.insert(sleep.pc, why) : nullptr;
  if (site == nullptr) return false;
  site->callers++;
  thread.caught = {sleep.pc, sleep.call};
  return true;
}

void Breakpoints::forget_return(Thread& thread) {
  const Caught caught = std::exchange(thread.caught, {});
  AddressSpace& space = *thread.process->space;
  Site* site = caught.address != 0 ? space.site(caught.address) : nullptr;
  if (site == nullptr || site->callers == 0) return;
  site->callers--;
  space.remove_unused({caught.address});
}

}  // namespace sonde::guard
