// SPDX-License-Identifier: GPL-3.0-or-later
// The memory of a target, with the guard's breakpoints in it
//
// /proc/PID/mem stays bound to the memory it was opened on, whatever the process does later: so one open file
// is an address space. Text is written through it, whether threads run or not; one byte at a time, which is
// what the machine allows for int3.
//
// Slots. An instruction that cannot be emulated is stepped out of line: its copy lies in a slot, in the unused
// end of the last page of a text segment that is near enough for relative addresses. Nothing is mapped and no text
// of the program is overwritten. Slots are shared by threads that step the same instruction, and are never put
// back: nobody reads or runs those bytes. We refused the code at the ELF entry, which is some 40 bytes short and is text,
// and a page mapped into the target, which the target could see and unmap. Where no slot is
// free or near enough, the breakpoint is lifted and the instruction stepped in place: other threads may then pass it unseen.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/abi/requests.h"
#include "runtime/base/few.h"
#include "runtime/base/unique_fd.h"
#include "runtime/guard/arch.h"
#include "runtime/guard/mappings.h"
#include "runtime/guard/unwind.h"

namespace sonde::guard {

struct ArmedTap;

/// A breakpoint. It stays as long as somebody uses it. There may be a million: what its instruction means is decoded at
/// each hit, which takes less than a tenth of a microsecond of some five.
struct Site {
  uint64_t address = 0;
  uint64_t slot = 0;  ///< where its instruction was last put
  Few<ArmedTap*> taps;
  std::array<uint8_t, kInstructionMost> bytes{};  ///< the program's own
  uint8_t length = 0;                             ///< how many
  uint32_t callers : 30 = 0;                      ///< threads asleep in a system call that returns here
  uint32_t program_entry : 1 = 0;
  uint32_t linker : 1 = 0;  ///< the dynamic linker comes by after each change of its list
  uint32_t lifted = 0;      ///< threads that step its instruction in place

  Instruction instruction() const { return Instruction(address, bytes.data(), length); }
  bool used() const { return !taps.empty() || program_entry || linker || callers > 0; }
};

class AddressSpace {
 public:
  /// Of a process that is there; opened when first needed. One that cannot be opened reads and writes nothing.
  explicit AddressSpace(pid_t pid) : pid_(pid), unwinder_(pid) {}
  /// After a fork, before the child runs: memory of its own, with those of the parent's breakpoints that `keep` says; all others are
  /// taken out.
  AddressSpace(pid_t pid, const AddressSpace& parent, const std::function<bool(const Site&)>& keep);

  bool read(uint64_t address, void* to, size_t length) const;
  bool write(uint64_t address, const void* from, size_t length);
  /// The program's own bytes where a breakpoint covers them. `bytes` were read at `address`.
  void hide(uint64_t address, uint8_t* bytes, size_t length) const;

  Site* site(uint64_t address);
  /// Finds or makes a breakpoint. Null: it cannot be; `why` says why.
  Site* insert(uint64_t address, std::string& why);
  /// The same in code that the process has compiled at run time: only where the function's text is that of the tap.
  Site* insert_code(const ArmedTap& tap, std::string& why);
  /// Such code may be written again at any time. Before its instruction is passed: what it is now. False: no breakpoint is there any more.
  bool renew(Site& site);
  /// Takes the breakpoint out when nobody uses it any more.
  void remove_unused(uint64_t address);
  void remove_all();
  /// Takes the breakpoint out for a thread that steps in place, and puts it back after the last such.
  void lift(Site& site);
  void lower(uint64_t address);
  /// Breakpoints by address.
  auto& sites() { return sites_; }
  /// The instruction behind a system call, in a file's text.
  bool is_behind_call(uint64_t address);
  /// There was a breakpoint once: a trap that comes late is ours.
  bool was_ours(uint64_t address) const;
  bool had_sites() const { return had_sites_; }

  /// A slot that holds this site's instruction; 0: all are taken.
  uint64_t take_slot(Site& site);
  void give_slot(uint64_t slot);

  /// Reads the mappings again; returns the executable ones that are new. Breakpoints in those that are gone are forgotten.
  std::vector<Mapping> refresh(pid_t pid);
  /// By address; files only.
  const std::vector<Mapping>& mappings() const { return mappings_; }
  bool scanned() const { return scanned_; }
  /// The program is for 32-bit code, whose instructions mean other things: no breakpoint goes there.
  bool compat();
  Unwinder& unwinder() { return unwinder_; }
  uint64_t entry();
  uint64_t linker_breakpoint();
  /// The dynamic linker has nothing left to map for now.
  bool linker_done();
  /// The function that the dynamic linker will call at linker_breakpoint(), known before it has run: by its name in the file.
  uint64_t linker_function();

 private:
  struct Slot {
    uint64_t site = 0;  // whose instruction it holds
    uint32_t users = 0;
  };
  void read_auxiliary();
  /// r_debug's version, link_map, r_brk and r_state. False: it is not there, or not yet.
  bool read_linker(uint64_t (&debug)[4]);
  int memory() const;
  Site* put_in(Site made, std::string& why);
  void take_out(const Site& site);
  bool holds_breakpoint(uint64_t address) const;
  bool is_code(uint64_t address);
  void clean_copy();
  void forget_sites(const Mapping& gone);
  const Mapping* mapping_of(uint64_t address) const;
  void add_slots(const Mapping& text);

  pid_t pid_;
  Unwinder unwinder_;
  mutable UniqueFd memory_;
  std::map<uint64_t, Site> sites_;
  std::unordered_map<uint64_t, machine::Breakpoint> past_;  // where breakpoints were, and the program's bytes there
  std::chrono::steady_clock::time_point gone_at_{};         // when the last of them went
  bool had_sites_ = false;
  using Text = std::vector<uint8_t>;
  std::unordered_map<uint64_t, Text> code_;  // where breakpoints are or were in code of the run time: its first bytes
  std::vector<std::pair<uint64_t, uint64_t>> areas_;  // that such code is in
  std::map<uint64_t, Slot> slots_;
  uint64_t hand_ = 0;  // slots are taken in turn: the one before was used last
  std::vector<Mapping> mappings_;
  std::vector<Mapping> text_;  // before there is any probe
  bool scanned_ = false;
  std::optional<bool> compat_;
  bool auxiliary_read_ = false;
  uint64_t entry_ = 0, headers_ = 0, header_count_ = 0, linker_base_ = 0;
};

}  // namespace sonde::guard
