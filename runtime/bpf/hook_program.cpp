// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include "runtime/bpf/hook_program.h"

#include <algorithm>

#include "runtime/bpf/arch.h"
#include "runtime/bpf/code.h"
#include "runtime/bpf/record_code.h"
#include "runtime/bpf/section_code.h"

namespace sonde::bpf {
namespace {

/// Others may count or record the same event of perf: they get it all the same.
void leave_to_others(sonde_lowering* l, TracepointLink link) { leave(l, link == TracepointLink::Event ? 1 : 0); }

bool wants_registers(const sonde_dif_program& fire) {
  for (uint32_t at = 0; at < fire.length; at++)
    if (const auto op = fire.insns[at].op; op == SONDE_DIF_ARG || op == SONDE_DIF_REG || op == SONDE_DIF_CAPSTACK)
      return true;
  return false;
}

/// The call's number is its row. Who traces a few calls pays little for the others: no more is looked at before.
void begin_call(SectionCode& code, const HookProgram& wanted) {
  const bool returns = code.kind == SONDE_TAP_SYSCALL_RETURN;
  if (returns) {
    find_thread(code, true);
    sonde_lower_ldx(&code, BPF_DW, R1, R0, kCallNumber);
  } else {
    code.load_context(R1, kNumberWord);
  }
  sonde_lower_stx(&code, BPF_DW, FP, R1, kNumber);
  sonde_lower_stx(&code, BPF_W, FP, R1, kKey);
  code.skip_if(BPF_JGE, R1, kCalls);
  find_row(code, wanted.table);
  if (!returns) find_thread(code, code.registers);
  if (!code.again) {
    sonde_lower_ldx(&code, BPF_DW, R1, FP, kTask);
    sonde_lower_ldx(&code, BPF_W, R1, R1, code.member("task_struct", kCallStatus));
    sonde_lower_alu_imm(&code, BPF_AND, R1, kCompatCall);
    code.skip_if(BPF_JNE, R1, 0);
  }
  find_process_of_thread(code, code.again ? 0 : wanted.left_out);
}

void begin_section(SectionCode& code, const HookProgram& wanted, const Section& section) {
  if (is_call(section.kind)) return begin_call(code, wanted);
  find_process(code, wanted.left_out);
  begin_event(code);
  sonde_lower_st(&code, BPF_W, FP, kKey, static_cast<int32_t>(section.row));
  find_row(code, wanted.table);
}

/// Goes on with a later part, which finds no ring held, or with `carry` the one that is held here, if one is. If its
/// program is not there, goes on here.
void call_part(sonde_lowering* l, const Part& part, uint32_t next, bool carry) {
  sonde_lower_mov_imm(l, R3, static_cast<int32_t>(chain_index(next, 0)));
  if (carry) {
    const uint32_t none = sonde_lower_branch_imm(l, BPF_JEQ, R6, 0);
    sonde_lower_ldx(l, BPF_DW, R1, FP, kTime);
    sonde_lower_stx(l, BPF_DW, R6, R1, kChainTime);
    sonde_lower_ldx(l, BPF_W, R3, R6, kLevel);
    sonde_lower_alu_imm(l, BPF_ADD, R3, static_cast<int32_t>(chain_index(next, 1)));
    sonde_lower_land(l, none);
  }
  sonde_lower_ldx(l, BPF_DW, R1, FP, kContext);
  load_map(l, R2, part.chain);
  call_helper(l, BPF_FUNC_tail_call);
}

Result<void> append_section(const HookProgram& wanted, const Section& section, World world, const Part& part,
                            std::vector<bpf_insn>& all) {
  SectionCode before(world, wanted.hook, section.kind);
  look_at(section.columns, world);
  world.arguments = wanted.arguments;
  before.registers =
      std::ranges::any_of(section.columns, [](const FirePart& fire) { return wants_registers(*fire.program); });
  before.again = part.first > 0;
  if (part.held > 0) {
    const uint32_t found = resume_ring(&before, world, part.held - 1);
    leave_to_others(&before, world.link);
    sonde_lower_land(&before, found);
  }
  begin_section(before, wanted, section);
  // A predicate may end before it needs room. It looks then for a fault where a ring is held; there is none, but the
  // verifier must find room for it all the same.
  if (part.held > 0) use_scratch(&before);
  if (!before.lacks.empty()) return Error(before.lacks, EOPNOTSUPP);
  const size_t from = all.size();
  append(all, before);
  for (uint32_t n = part.first; n < std::min<size_t>(part.end, section.columns.size()); n++) {
    Column column(world, section.kind, n, section.columns[n]);
    if (auto done = column.append_to(all); !done) return std::move(done).error();
  }
  Code cut;
  if (part.is_cut) call_part(&cut, part, part.number + 1, true);
  append(all, cut);
  for (const uint32_t skip : before.skips) {
    const size_t distance = all.size() - (from + skip) - 1;
    if (distance > SONDE_LOWER_FAR) return Error("the clauses of a probe are too long for this source", E2BIG);
    all[from + skip].off = static_cast<int16_t>(distance);
  }
  Code after;
  release_ring(&after, world);
  append(all, after);
  return {};
}

}  // namespace

Result<std::vector<bpf_insn>> build_hook(const HookProgram& wanted, const World& world, const Part& part) {
  std::vector<bpf_insn> all;
  Code before;
  sonde_lower_stx(&before, BPF_DW, FP, R1, kContext);
  sonde_lower_mov_imm(&before, R6, 0);
  append(all, before);
  const size_t end = std::min<size_t>(wanted.sections.size(), size_t{part.section} + part.sections);
  for (size_t n = part.section; n < end; n++)
    if (auto done = append_section(wanted, wanted.sections[n], world, part, all); !done) return std::move(done).error();
  Code after;
  if (part.then > 0) call_part(&after, part, part.then, false);
  leave_to_others(&after, world.link);
  append(all, after);
  return all;
}

std::vector<bpf_insn> build_stub(int programs, uint32_t index, TracepointLink link) {
  std::vector<bpf_insn> all;
  Code code;
  load_map(&code, R2, programs);
  sonde_lower_mov_imm(&code, R3, static_cast<int32_t>(index));
  call_helper(&code, BPF_FUNC_tail_call);
  leave_to_others(&code, link);
  append(all, code);
  return all;
}

}  // namespace sonde::bpf
