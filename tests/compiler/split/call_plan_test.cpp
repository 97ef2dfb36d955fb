// SPDX-License-Identifier: GPL-3.0-or-later
// The captures of each system call, as DIF. Nothing verifies them before a source loads them, so it is done here: for
// each call, at each end, for all that may be shown.
#include "compiler/split/call_plan.h"

#include <gtest/gtest.h>

#include "runtime/process/syscall_table.h"

namespace sonde {
namespace {

/// The slots of the one plan, in a program that does nothing else.
FireProgram program_of(const CallPlan& plan, uint32_t strsize) {
  DifEmitter out;
  CallSlots slots;
  slots.words = out.slots();
  for (int i = 0; i < 7; i++) out.add_slot(SONDE_SLOT_WORD);
  slots.texts = out.slots();
  for (const CallCapture& capture : plan.captures)
    for (uint32_t i = 0; i < capture.texts(); i++) out.add_slot(SONDE_SLOT_TEXT);
  slots.bytes = out.slots();
  for (const CallCapture& capture : plan.captures)
    for (uint32_t i = 0; i < capture.bytes(); i++) out.add_slot(SONDE_SLOT_BYTES);
  emit_call(out, plan, slots, strsize);
  out.op(SONDE_DIF_RECORD);
  return out.finish_for_sources();
}

void verify_all() {
  size_t with_memory = 0;
  for (const SyscallInfo& call : syscall_table()) {
    for (uint32_t bits = 0; bits < 16; bits++) {
      const CaptureNeeds needs{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0};
      const CallPlan plan{captures_of(call.number, needs), needs.returns, {}};
      with_memory += plan.captures.empty() ? 0 : 1;
      for (const uint32_t strsize : {1u, 256u, SONDE_DIF_MAX_TEXT - 1u}) {
        const FireProgram program = program_of(plan, strsize);
        sonde_dif_program view = program.view();
        char why[256] = "";
        EXPECT_EQ(sonde_dif_verify(&view, why, sizeof why), 0)
            << call.name << ", needs " << bits << ", strsize " << strsize << ": " << why;
        EXPECT_GT(view.record_max, 0u);
      }
    }
  }
  EXPECT_GT(with_memory, 1'000u);
}

TEST(CallPlan, EveryCallsCapturesPassTheVerifier) { verify_all(); }

/// ctest runs each test in a process of its own; captures are computed once in each.
TEST(CallPlan, EveryCallsCapturesInFullPassTheVerifier) {
  set_shown_amount({.bytes = kMostShownBytes, .whole = true, .lists = true});
  verify_all();
}

}  // namespace
}  // namespace sonde
