// SPDX-License-Identifier: MIT OR GPL-2.0-only
// What comes before the fire parts of a probe: is it the event, who does it, which row of the table
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/bpf/fire_target.h"

namespace sonde::bpf {

/// Code outside of fire parts. R7, R8 and R9 survive calls of helpers; R6 is 0.
struct SectionCode : sonde_lowering {
  SectionCode(const World& shared, Hook of, sonde_tap_kind event);
  SectionCode(const SectionCode&) = delete;
  SectionCode& operator=(const SectionCode&) = delete;

  /// Behind the section, if the comparison holds.
  void skip_if(uint8_t op, uint8_t reg, int32_t value);
  void skip_if_reg(uint8_t op, uint8_t a, uint8_t b);
  void skip();
  /// The offset of a member; a member that this kernel does not have makes the program impossible.
  int32_t member(std::string_view structure, std::string_view path);
  /// `to` = argument `n` of the tracepoint
  void load_context(uint8_t to, int n);

  const World& world;
  Hook hook;
  sonde_tap_kind kind;
  bool again = false;           ///< an earlier part of a chain has let the event through
  bool registers = false;       ///< a column wants the thread's registers
  std::vector<uint32_t> skips;  ///< branches that lead behind the section
  std::string lacks;            ///< what this kernel does not have; empty: nothing

 private:
  std::array<bpf_insn, 512> insns_{};
};

/// The task, and its registers, for whoever wants them. Uses R7 if it does, which then has the task.
void find_thread(SectionCode& code, bool registers);
/// The same of a thread that may be the kernel's own: then it has no registers, which is 0.
void find_any_thread(SectionCode& code);
/// The thread's numbers; skips the section in the process `left_out`, 0: none.
void find_process(SectionCode& code, uint32_t left_out);
/// The same of a thread that has been found: two loads are quicker than a helper.
void find_process_of_thread(SectionCode& code, uint32_t left_out);
/// Finds the row of the table whose number is in kKey; skips the section if no probe has it.
void find_row(SectionCode& code, int table);

/// The event's own part, for all kinds but system calls: skips the section if it is another event, and fills in
/// kArguments, kNumber, kText. event_code.cpp has a row for each kind.
void begin_event(SectionCode& code);

}  // namespace sonde::bpf
