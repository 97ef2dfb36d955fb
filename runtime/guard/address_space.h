// SPDX-License-Identifier: GPL-3.0-or-later
// The memory of a target, with the guard's breakpoints in it
//
// An open /proc/PID/mem stays bound to the memory it was opened on, whatever the process does later. So one open file
// is an address space. Text is written through it, whether threads run or not, one byte at a time: the size of an int3.
//
// Slots. An instruction that cannot be emulated is stepped out of line: it is copied to a slot, in the unused end of
// the last page of a text segment that is near enough for relative addresses. Nothing is mapped, and no text of the
// program is overwritten. Threads that step the same instruction share a slot. The bytes are never restored, because
// the program neither reads nor runs them. We refused the code at the ELF entry, which is some 40 bytes too short and
// is text, and a page mapped into the target, which the target could see and unmap. If no free slot is near enough, the
// breakpoint is lifted and the instruction stepped in place; another thread may then pass there without a hit.
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

/// A breakpoint. It exists as long as it has a use. There may be a million, so its instruction is not kept decoded:
/// decoding at each hit takes less than a tenth of a microsecond, of some five for the hit.
struct Site {
  uint64_t address = 0;
  uint64_t slot = 0;  ///< where its instruction was last copied; 0: nowhere
  Few<ArmedTap*> taps;
  std::array<uint8_t, kInstructionMost> bytes{};  ///< of the program, under the breakpoint and behind it
  uint8_t length = 0;                             ///< number of valid bytes
  uint32_t callers : 30 = 0;                      ///< threads that sleep in a system call which returns here
  uint32_t program_entry : 1 = 0;
  uint32_t linker : 1 = 0;  ///< the dynamic linker passes here after each change of its list
  uint32_t lifted = 0;      ///< threads that are stepping its instruction in place

  Instruction instruction() const { return Instruction(address, bytes.data(), length); }
  bool used() const { return !taps.empty() || program_entry || linker || callers > 0; }
};

class AddressSpace {
 public:
  /// For a living process. Its memory is opened when first needed; if that fails, reads and writes fail.
  explicit AddressSpace(pid_t pid) : pid_(pid), unwinder_(pid) {}
  /// For a forked child, before it runs: it has memory of its own, with the parent's breakpoints. Keeps those for which
  /// `keep` is true and takes the others out.
  AddressSpace(pid_t pid, const AddressSpace& parent, const std::function<bool(const Site&)>& keep);

  bool read(uint64_t address, void* to, size_t length) const;
  bool write(uint64_t address, const void* from, size_t length);
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
  /// Takes the breakpoint out if nothing uses it any more.
  void remove_unused(uint64_t address);
  void remove_all();
  /// lift() takes the breakpoint out for a thread that steps in place; lower() puts it back after the last such thread.
  void lift(Site& site);
  void lower(uint64_t address);
  /// Breakpoints by address.
  auto& sites() { return sites_; }
  /// Whether the instruction before `address` is a system call, in the text of a file.
  bool is_behind_call(uint64_t address);
  /// Whether there was a breakpoint at `address` once: a late trap there is ours.
  bool was_ours(uint64_t address) const;
  bool had_sites() const { return had_sites_; }

  /// A slot that contains this site's instruction; 0: none is free or near enough.
  uint64_t take_slot(Site& site);
  void give_slot(uint64_t slot);

  /// Reads the mappings again; returns the executable ones that are new. Forgets the breakpoints of those that are
  /// gone.
  std::vector<Mapping> refresh(pid_t pid);
  /// Sorted by address; only of files.
  const std::vector<Mapping>& mappings() const { return mappings_; }
  bool scanned() const { return scanned_; }
  /// Whether the program is 32-bit code. Its instructions have other meanings, so it gets no breakpoints.
  bool compat();
  Unwinder& unwinder() { return unwinder_; }
  /// Opens memory and mappings now: if the process makes itself undumpable, they can be read only by who had them open.
  void expect_walks();
  uint64_t entry();
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
  void read_auxiliary();
  /// Reads r_debug's version, link_map, r_brk and r_state. False: there is no r_debug, or not yet.
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
  std::unordered_map<uint64_t, machine::Breakpoint>
      past_;                                         // addresses of former breakpoints, with the program's bytes there
  std::chrono::steady_clock::time_point gone_at_{};  // when the last breakpoint was taken out
  bool had_sites_ = false;
  using Text = std::vector<uint8_t>;
  std::unordered_map<uint64_t, Text>
      code_;  // by address of a present or former breakpoint in compiled code: the first bytes of its text
  std::vector<std::pair<uint64_t, uint64_t>> areas_;  // areas with such code
  std::map<uint64_t, Slot> slots_;
  uint64_t hand_ = 0;  // the last slot taken: the search for the next one begins behind it
  std::vector<Mapping> mappings_;
  std::vector<Mapping> text_;  // mappings with code; before there is any probe
  bool scanned_ = false;
  std::optional<bool> compat_;
  bool auxiliary_read_ = false;
  uint64_t entry_ = 0, headers_ = 0, header_count_ = 0, linker_base_ = 0;
};

}  // namespace sonde::guard
