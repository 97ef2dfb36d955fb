// SPDX-License-Identifier: GPL-3.0-or-later
// The memory of a target, with the guard's breakpoints in it
//
// Text is written through an open /proc/PID/mem (target_memory.h), whether threads run or not, one byte at a time: the
// size of an int3. ownership.cpp has who owns an int3, from its arming to the last process that may hold it.
//
// Slots. An instruction that cannot be emulated is stepped out of line: it is copied to a slot, in the unused end of
// the last page of a text segment, of any object of the process, the vdso's included. Nothing is mapped, and no text of
// the program is overwritten. Threads that step the same instruction share a slot. If all slots are in use, the thread
// waits for one. The bytes are never restored, because the program neither reads nor runs them. We refused the code at
// the ELF entry, which is some 40 bytes too short and is text, and a page mapped into the target, which the target could
// see and unmap. Only in a process without any slot is the breakpoint lifted and the instruction stepped in place;
// another thread may then pass there without a hit, and a line says so.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/abi/requests.h"
#include "runtime/base/few.h"
#include "runtime/guard/arch.h"
#include "runtime/guard/mappings.h"
#include "runtime/guard/target_memory.h"
#include "runtime/guard/unwind.h"
#include "runtime/process/proc_maps.h"
#include "runtime/utrace/pages.h"

namespace sonde::guard {

constexpr size_t kCovered = sizeof machine::kBreakpoint;  ///< bytes of the program under a breakpoint

struct ArmedTap;

/// Bytes of the program: one under a breakpoint, and those behind it.
struct KeptBytes {
  std::array<uint8_t, kInstructionMost> bytes{};
  uint8_t length = 0;  ///< number of valid bytes
};

/// A breakpoint. It exists as long as it has a use, or cannot be taken out. There may be a million, so its instruction
/// is not kept decoded: decoding at each hit takes less than a tenth of a microsecond, of some five for the hit.
struct Site : KeptBytes {
  uint64_t address = 0;
  uint64_t slot = 0;  ///< where its instruction was last copied; 0: nowhere
  Few<ArmedTap*> taps;
  uint32_t callers : 29 = 0;  ///< threads that sleep in a system call which returns here
  uint32_t program_entry : 1 = 0;
  uint32_t linker : 1 = 0;  ///< the dynamic linker passes here after each change of its list
  uint32_t clone : 1 = 0;   ///< loads the number of clone or clone3: the thread stops at that call
  uint32_t lifted = 0;      ///< threads that are stepping its instruction in place

  Instruction instruction() const { return Instruction(address, bytes.data(), length); }
  bool used() const { return !taps.empty() || program_entry || linker || clone || callers > 0; }
};

/// Where a counter is in its file.
struct CounterPlace {
  FileId file;
  uint64_t offset;
};

class AddressSpace {
 public:
  /// For a living process. Its memory is opened when first needed; if that fails, reads and writes fail.
  explicit AddressSpace(pid_t pid) : pid_(pid), unwinder_(pid), memory_(pid), pages_(pid) {}
  /// For a forked child, before it runs: it has memory of its own, with the parent's breakpoints. Keeps those for which
  /// `keep` is true and takes the others out.
  AddressSpace(pid_t pid, const AddressSpace& parent, const std::function<bool(const Site&)>& keep);

  [[nodiscard]] bool read(uint64_t address, void* to, size_t length) const;
  [[nodiscard]] bool write(uint64_t address, const void* from, size_t length);
  /// A thread of it that is in a ptrace-stop, until lend(0): helps where /proc/PID/mem cannot be opened or written.
  void lend(pid_t stopped) { memory_.lend(stopped); }
  /// Replaces our breakpoints in `bytes`, which were read at `address`, by the program's own bytes.
  void hide(uint64_t address, uint8_t* bytes, size_t length) const;

  Site* site(uint64_t address);
  /// Finds or makes a breakpoint. Null: it cannot be made; `why` has the reason.
  Site* insert(uint64_t address, std::string& why);
  /// The same in code that the process has compiled at run time, if the function's text is still the one the tap was
  /// made for.
  Site* insert_code(const ArmedTap& tap, std::string& why);
  /// The process may rewrite such code at any time. Called before its instruction is passed: reads it again. False: our
  /// breakpoint is not there any more.
  bool renew(Site& site);
  /// Takes those breakpoints out that nothing uses any more.
  void remove_unused(std::vector<uint64_t> addresses);
  /// Also takes out copies, and takes counters back.
  void remove_all();
  /// Raises the counters at these addresses, each by 1, unless they are raised; takes those back that are raised and not
  /// among them (counters.cpp). Returns how many it could not read or write, or not raise any higher.
  size_t settle_counters(const std::map<uint64_t, CounterPlace>& wanted);
  bool has_raised() const { return !raised_.empty(); }
  /// Takes out copies of breakpoints: those in code that is no file's, and in text that was moved since the mappings
  /// were read.
  void recover_copies();
  /// Whether breakpoints are in place that nothing uses and that could not be taken out.
  size_t owed() const { return debts_.size(); }
  /// Tries again to take those out. Returns whether none is left.
  bool settle_debts();
  /// Whether its breakpoints can be taken out: nothing is owed, and its memory is open or has none.
  bool reachable() const { return debts_.empty() && (sites_.empty() || memory_.can_open()); }
  /// Takes copies of its breakpoints out of another process, which may run. Returns how many there were.
  size_t free_copy(pid_t other) const;
  /// The number of breakpoints that somebody else has taken out of text that is otherwise unchanged, such as a tracer
  /// that has removed a uprobe from there.
  size_t lost() const;
  /// Takes every breakpoint out for a while, until reinstate(); they remain sites. Returns how many it cannot take out.
  size_t withdraw();
  void reinstate();
  /// lift() takes the breakpoint out for a thread that steps in place; lower() puts it back after the last such thread.
  /// False: its byte cannot be written.
  bool lift(Site& site);
  void lower(uint64_t address);
  /// Breakpoints by address.
  auto& sites() { return sites_; }
  /// Whether the instruction before `address` is a system call, in the text of a file.
  bool is_behind_call(uint64_t address);
  /// For a trap at an int3 where no breakpoint is known.
  enum class Owner {
    Program,    ///< it is not ours
    Late,       ///< there was a breakpoint, and the program's byte is back: the thread hit it just before
    Recovered,  ///< a breakpoint was copied or moved there; the program's byte is back
    Owed,       ///< a breakpoint that cannot be taken out; it is a site now
  };
  Owner owner_of(uint64_t address);
  /// Whether an int3 at `address`, which is not known to be ours, may be a copy of ours all the same: the program's
  /// file does not have it.
  bool may_be_ours(uint64_t address) const;
  bool had_sites() const { return had_sites_; }
  /// Whether a thread may meet an int3 of ours: there were breakpoints here, or in the memory that this is a copy of.
  bool may_trap() const { return had_sites_ || inherited_; }
  /// Breakpoints that could not be put back after a step in place.
  size_t unrestored() const { return unrestored_; }

  /// A slot that contains this site's instruction; 0: none is free.
  uint64_t take_slot(Site& site);
  /// Whether some thread steps in a slot: when that has ended, take_slot() may find one.
  bool steps_in_slots() const;
  void give_slot(uint64_t slot);

  /// Reads the mappings again; returns the executable ones that are new. Forgets the breakpoints of those that are
  /// gone.
  std::vector<Mapping> refresh(pid_t pid);
  /// Whether another tracer has uprobes in this memory, as far as its mappings show that.
  bool has_uprobes() const { return has_uprobes_; }
  /// Sorted by address; only of files.
  const std::vector<Mapping>& mappings() const { return mappings_; }
  bool scanned() const { return scanned_; }
  /// Whether the process has ended.
  bool gone() const { return memory_.gone(); }
  /// Whether the program is 32-bit code. Its instructions have other meanings, so it gets no breakpoints.
  bool compat();
  Unwinder& unwinder() { return unwinder_; }
  /// Opens memory and mappings now: if the process makes itself undumpable, they can be read only by who had them open.
  void expect_walks();
  Pages& pages() const { return pages_; }
  /// For pages that are there.
  const TargetMemory& memory() const { return memory_; }
  /// Where the program begins; 0: unknown, or a linker that was started as a program has not mapped it yet.
  uint64_t entry();
  /// Why entry() is 0, for a message. A program whose file an ordinary user may execute but not read is not dumpable.
  std::string why_no_entry() const;
  /// Whether a linker that was started as a program (`ld.so PROG`) has still to map the program.
  bool awaits_program();
  uint64_t linker_breakpoint();
  /// Whether the dynamic linker has finished mapping objects for now.
  bool linker_done();
  /// The address of the linker's function that will be linker_breakpoint(), found by its name in the file before the
  /// linker has run.
  uint64_t linker_function();

 private:
  struct Slot {
    uint64_t site = 0;  // the site whose instruction it contains
    uint32_t users = 0;
  };
  bool is_counter(uint64_t address, const CounterPlace& place) const;
  /// False: it cannot be read, written or counted up. One that is 0 stays 0.
  bool count(uint64_t address, int by);
  void read_auxiliary();
  void find_program();
  /// Reads r_debug's version, link_map, r_brk and r_state. False: there is no r_debug, or not yet.
  bool read_linker(uint64_t (&debug)[4]);
  Site* put_in(Site made, std::string& why);
  void put_back(const Site& site);
  bool take_out(const Site& site);
  bool take_out_seen(const Site& site, const uint8_t* now);
  void remove_in_page(std::span<const uint64_t> addresses);
  void note_out(const Site& site);
  bool holds_breakpoint(uint64_t address) const;
  bool is_code(uint64_t address);
  void clean(const std::map<uint64_t, KeptBytes>& breakpoints);
  void forget_sites(const Mapping& gone);
  Site& owe(uint64_t address, const KeptBytes& kept);
  bool still_ours(uint64_t address, const KeptBytes& kept) const;
  Owner recover(uint64_t address);
  void sweep(const Mapping& mapping, uint64_t begin, uint64_t end);
  const Mapping* mapping_of(uint64_t address) const;
  void add_slots(const Mapping& text);
  void forget_slots(const std::vector<Mapping>& gone, const std::vector<Mapping>& code);

  pid_t pid_;
  Unwinder unwinder_;
  TargetMemory memory_;
  mutable Pages pages_;
  std::map<uint64_t, Site> sites_;
  std::map<uint64_t, CounterPlace> raised_;       // counters, by address
  std::set<uint64_t> debts_;                      // of sites that nothing uses, and that could not be taken out
  std::unordered_map<uint64_t, KeptBytes> past_;  // addresses of former breakpoints, with the program's bytes there
  std::set<std::array<uint8_t, kInstructionMost>> moved_;  // of breakpoints whose memory has moved or is gone
  std::chrono::steady_clock::time_point gone_at_{};        // when the last breakpoint was taken out
  bool had_sites_ = false, inherited_ = false, withdrawn_ = false;
  size_t unrestored_ = 0;
  using Text = std::vector<uint8_t>;
  std::unordered_map<uint64_t, Text>
      code_;  // by address of a present or former breakpoint in compiled code: the first bytes of its text
  std::vector<std::pair<uint64_t, uint64_t>> areas_;  // areas with such code
  std::map<uint64_t, Slot> slots_;
  uint64_t hand_ = 0;  // the last slot taken: the search for the next one begins behind it
  std::vector<Mapping> mappings_;
  std::vector<Mapping> text_;  // mappings with code; before there is any probe
  bool scanned_ = false;
  bool has_uprobes_ = false;
  std::optional<bool> compat_;
  bool auxiliary_read_ = false, awaits_program_ = false;
  uint64_t entry_ = 0, headers_ = 0, header_count_ = 0, linker_base_ = 0;
};

}  // namespace sonde::guard
