// SPDX-License-Identifier: GPL-3.0-or-later
// The captures of argstr and retstr, as DIF
//
// No expression of the clause is live here, so registers have fixed uses. Memory that a call points to may be missing,
// which must not end the clause; but a branch ends it while a fault is pending (dif.h). So there is no branch between a
// load and the instruction that takes over its fault. Pointers and counts go through a local, which clears the fault
// (load_or_zero()); the descriptors in buffers() go straight into a capture, and the computation in between
// (take_lesser()) multiplies instead of branching.
//
// All plans of a clause have the same slots, so one body serves all of them: a plan fills the first text and byte slots
// that it needs, and leaves the others empty.
#include "compiler/split/call_plan.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace sonde {
namespace {

using Kind = CallCapture::Kind;
using Count = CallCapture::Count;

// Registers of the emitted code. The last three are min()'s own.
enum : uint32_t { kAddress, kUnits, kScratch, kLimit, kLeft, kBase, kLength, kMin1, kMin2, kMin3 };

/// uregs[] of the arguments, in 64-bit code and in programs of 32 bits.
constexpr std::array<int32_t, 6> kRegisters = {14, 13, 12, 7, 9, 8};
constexpr std::array<int32_t, 6> kCompatRegisters = {5, 11, 12, 13, 14, 4};

bool names(const LoweredExpr& expr, std::string_view variable) {
  if (expr.kind == LoweredKind::Builtin && expr.builtin->name == variable) return true;
  return std::ranges::any_of(expr.kids, [&](const LoweredExprPtr& kid) { return names(*kid, variable); });
}

bool names(const std::vector<LoweredStatement>& statements, std::string_view variable) {
  return std::ranges::any_of(statements, [&](const LoweredStatement& statement) {
    return names(*statement.expression, variable) || names(statement.then_part, variable) ||
           names(statement.else_part, variable);
  });
}

bool names(const LoweredClause& clause, std::string_view variable) {
  return (clause.predicate && names(*clause.predicate, variable)) || names(clause.statements, variable);
}

class CallEmitter {
 public:
  CallEmitter(DifEmitter& out, const CallPlan& plan, const CallSlots& slots, uint32_t strsize)
      : out_(out), plan_(plan), strsize_(strsize), slots_(slots), text_(slots.texts), bytes_(slots.bytes) {}

  void emit() {
    words();
    const DifEmitter::Label failed = out_.label();
    bool judged = false;
    for (const CallCapture& capture : plan_.captures) {
      if (capture.out && !judged) {
        result(kAddress);
        branch_if_negative(kAddress, failed);
        judged = true;
      }
      emit(capture);
    }
    if (judged) out_.bind(failed);
  }

 private:
  DifEmitter& out_;
  const CallPlan& plan_;
  uint32_t strsize_;
  const CallSlots& slots_;
  uint32_t text_, bytes_;  ///< the next slots

  /// At a return the probe's own arguments are the result; the call's arguments are still in their registers.
  void words() {
    const DifEmitter::Label compat = out_.label(), done = out_.label();
    out_.op(SONDE_DIF_REG, kAddress, 0, 0, kCodeSegmentRegister);
    out_.op(SONDE_DIF_CAPW, slots_.words + 6, kAddress);
    if (plan_.returns) {
      out_.constant(kUnits, kCompatCodeSegment);
      out_.op(SONDE_DIF_EQ, kUnits, kAddress, kUnits);
      out_.branch(SONDE_DIF_JNZ, compat, kUnits);
    }
    for (uint32_t i = 0; i < 6; ++i) {
      argument(kAddress, i);
      out_.op(SONDE_DIF_CAPW, slots_.words + i, kAddress);
    }
    if (!plan_.returns) return;
    out_.branch(SONDE_DIF_JMP, done);
    out_.bind(compat);
    for (uint32_t i = 0; i < 6; ++i) {
      out_.op(SONDE_DIF_REG, kAddress, 0, 0, kCompatRegisters[i]);
      out_.op(SONDE_DIF_ZX, kAddress, kAddress, 0, 32);
      out_.op(SONDE_DIF_CAPW, slots_.words + i, kAddress);
    }
    out_.bind(done);
  }

  void argument(uint32_t to, uint32_t number) {
    if (plan_.returns)
      out_.op(SONDE_DIF_REG, to, 0, 0, kRegisters[number]);
    else
      out_.op(SONDE_DIF_ARG, to, 0, 0, static_cast<int32_t>(number));
  }

  void result(uint32_t to) { out_.op(SONDE_DIF_ARG, to, 0, 0, 0); }

  /// Not to be used while a load's fault is pending: the branch would end the clause.
  void branch_if_negative(uint32_t number, DifEmitter::Label to) {
    out_.constant(kScratch, 0);
    out_.op(SONDE_DIF_LTS, kScratch, number, kScratch);
    out_.branch(SONDE_DIF_JNZ, to, kScratch);
  }

  void add(uint32_t to, uint64_t number) {
    if (number == 0) return;
    out_.constant(kScratch, number);
    out_.op(SONDE_DIF_ADD, to, to, kScratch);
  }

  /// a = min(a, b), without a branch.
  void take_lesser(uint32_t a, uint32_t b) {
    out_.op(SONDE_DIF_LTU, kMin1, a, b);
    out_.op(SONDE_DIF_MUL, kMin2, a, kMin1);
    out_.constant(kMin3, 1);
    out_.op(SONDE_DIF_SUB, kMin1, kMin3, kMin1);
    out_.op(SONDE_DIF_MUL, kMin1, b, kMin1);
    out_.op(SONDE_DIF_ADD, a, kMin2, kMin1);
  }

  void take_at_most(uint32_t a, uint64_t limit) {
    out_.constant(kLimit, limit);
    take_lesser(a, kLimit);
  }

  /// A load that gives 0 instead of a fault.
  void load_or_zero(uint32_t to, uint32_t address, int32_t bytes) {
    out_.op(SONDE_DIF_LDU, to, address, 0, bytes);
    out_.op(SONDE_DIF_STL, 0, to, 0, kCallLocal);
    out_.op(SONDE_DIF_LDL, to, 0, 0, kCallLocal);
  }

  void field(uint32_t to, const CallCapture& capture, uint32_t offset, int32_t bytes) {
    argument(to, capture.argument);
    add(to, offset);
    load_or_zero(to, to, bytes);
  }

  void address(const CallCapture& capture) {
    if (capture.pointer_at < 0) return argument(kAddress, capture.argument);
    field(kAddress, capture, static_cast<uint32_t>(capture.pointer_at), 8);
  }

  void units(const CallCapture& capture) {
    switch (capture.count) {
      case Count::Fixed: out_.constant(kUnits, capture.most); return;
      case Count::Argument: argument(kUnits, capture.counted_by); break;
      case Count::Bits:
        argument(kUnits, capture.counted_by);
        out_.op(SONDE_DIF_ZX, kUnits, kUnits, 0, 32);
        add(kUnits, 63);
        out_.constant(kScratch, 6);
        out_.op(SONDE_DIF_SHRU, kUnits, kUnits, kScratch);
        break;
      case Count::Result: result(kUnits); break;
      case Count::Pointed:
        argument(kUnits, capture.counted_by);
        load_or_zero(kUnits, kUnits, 4);
        break;
      case Count::Field: field(kUnits, capture, capture.counted_by, 8); break;
      case Count::IntField: field(kUnits, capture, capture.counted_by, 4); break;
      case Count::Command: return command(capture);
    }
    if (capture.narrow) out_.op(SONDE_DIF_ZX, kUnits, kUnits, 0, 32);
    take_at_most(kUnits, capture.most);
  }

  /// The sum over all commands of (it is this one) * (its units).
  void command(const CallCapture& capture) {
    argument(kLeft, capture.counted_by);
    out_.constant(kScratch, capture.command_mask);
    out_.op(SONDE_DIF_AND, kLeft, kLeft, kScratch);
    out_.constant(kUnits, 0);
    for (const CallCapture::Command& one : capture.commands) {
      out_.constant(kScratch, one.value);
      out_.op(SONDE_DIF_EQ, kScratch, kLeft, kScratch);
      out_.constant(kLimit, one.units);
      out_.op(SONDE_DIF_MUL, kScratch, kScratch, kLimit);
      out_.op(SONDE_DIF_ADD, kUnits, kUnits, kScratch);
    }
  }

  void emit(const CallCapture& capture) {
    switch (capture.kind) {
      case Kind::Text: return text(capture);
      case Kind::Bytes: return bytes(capture);
      case Kind::Descriptor: return descriptor(capture);
      case Kind::Texts: return texts(capture);
      case Kind::List: return of_array(capture, SONDE_DIF_TEXT_STRINGS);
      case Kind::Pointers: return of_array(capture, SONDE_DIF_TEXT_POINTERS);
      case Kind::Buffers: return buffers(capture);
    }
  }

  void text(const CallCapture& capture) {
    const auto limit = static_cast<int32_t>(std::min<uint32_t>(capture.most, strsize_));
    address(capture);
    if (capture.count == Count::Fixed) {
      out_.op(SONDE_DIF_CAPSTR, text_++, kAddress, 0, limit);
      return;
    }
    units(capture);
    out_.op(SONDE_DIF_CAPSTRN, text_++, kAddress, kUnits, limit);
  }

  void bytes(const CallCapture& capture) {
    const DifEmitter::Label null = out_.label();
    address(capture);
    out_.branch(SONDE_DIF_JZ, null, kAddress);
    units(capture);
    if (capture.unit != 1) {
      out_.constant(kScratch, capture.unit);
      out_.op(SONDE_DIF_MUL, kUnits, kUnits, kScratch);
    }
    out_.op(SONDE_DIF_CAPMEM, bytes_++, kAddress, kUnits, capture.unit * capture.most);
    out_.bind(null);
  }

  void descriptor(const CallCapture& capture) {
    const DifEmitter::Label none = out_.label();
    if (capture.argument == kTheResult)
      result(kAddress);
    else if (capture.pointer_at >= 0)
      field(kAddress, capture, static_cast<uint32_t>(capture.pointer_at), 4);
    else
      argument(kAddress, capture.argument);
    out_.op(SONDE_DIF_SX, kAddress, kAddress, 0, 32);
    branch_if_negative(kAddress, none);
    out_.op(SONDE_DIF_CAPTEXT, text_++, kAddress, 0, SONDE_DIF_TEXT_FDPATH);
    out_.bind(none);
  }

  void texts(const CallCapture& capture) {
    const DifEmitter::Label done = out_.label();
    for (uint32_t i = 0; i <= kShownStrings; ++i) {
      argument(kAddress, capture.argument);
      add(kAddress, 8 * i);
      load_or_zero(kAddress, kAddress, 8);
      out_.branch(SONDE_DIF_JZ, done, kAddress);
      out_.op(SONDE_DIF_CAPSTR, text_ + i, kAddress, 0, capture.most);
    }
    text_ += kShownStrings + 1;
    out_.bind(done);
  }

  void of_array(const CallCapture& capture, sonde_dif_text which) {
    const DifEmitter::Label null = out_.label();
    address(capture);
    out_.branch(SONDE_DIF_JZ, null, kAddress);
    out_.op(SONDE_DIF_CAPTEXT, text_++, kAddress, 0, which);
    out_.bind(null);
  }

  void buffers(const CallCapture& capture) {
    const DifEmitter::Label done = out_.label();
    address(capture);
    units({.argument = capture.argument,
           .count = capture.count,
           .counted_by = capture.counted_by,
           .most = kShownBuffers});
    if (capture.out)
      result(kLeft);
    else
      out_.constant(kLeft, UINT64_MAX);
    for (uint32_t i = 0; i < kShownBuffers; ++i) {
      out_.constant(kScratch, i);
      out_.op(SONDE_DIF_LTU, kScratch, kScratch, kUnits);
      out_.branch(SONDE_DIF_JZ, done, kScratch);
      out_.op(SONDE_DIF_LDU, kBase, kAddress, 0, 8);
      add(kAddress, 8);
      out_.op(SONDE_DIF_LDU, kLength, kAddress, 0, 8);
      add(kAddress, 8);
      take_lesser(kLength, kLeft);
      out_.op(SONDE_DIF_SUB, kLeft, kLeft, kLength);
      take_at_most(kLength, capture.most);
      out_.op(SONDE_DIF_CAPMEM, bytes_ + i, kBase, kLength, capture.most);
    }
    bytes_ += kShownBuffers;
    out_.bind(done);
  }
};

uint64_t most_bytes(const CallCapture& capture, uint32_t strsize) {
  const auto aligned = [](uint64_t bytes) { return (bytes + 7) / 8 * 8; };
  switch (capture.kind) {
    case Kind::Text: return aligned(std::min<uint32_t>(capture.most, strsize) + 1);
    case Kind::Descriptor: return aligned(sonde_dif_text_max(SONDE_DIF_TEXT_FDPATH));
    case Kind::List: return aligned(sonde_dif_text_max(SONDE_DIF_TEXT_STRINGS));
    case Kind::Pointers: return aligned(sonde_dif_text_max(SONDE_DIF_TEXT_POINTERS));
    case Kind::Texts: return (kShownStrings + 1) * aligned(capture.most + 1u);
    case Kind::Buffers: return kShownBuffers * aligned(capture.most);
    case Kind::Bytes: break;
  }
  return aligned(uint64_t{capture.unit} * capture.most);
}

void widen(CallPlans& all, const CallPlan& plan, uint32_t strsize) {
  uint32_t texts = 0, bytes = 0;
  uint64_t most = 0;
  for (const CallCapture& capture : plan.captures) {
    texts += capture.texts();
    bytes += capture.bytes();
    most += most_bytes(capture, strsize);
  }
  all.slots.text_count = std::max(all.slots.text_count, texts);
  all.slots.byte_count = std::max(all.slots.byte_count, bytes);
  all.most_bytes = std::max(all.most_bytes, most);
}

}  // namespace

bool shows_arguments(const LoweredClause& clause, const Options& options) {
  return options.text("argstr") != "classic" && names(clause, "argstr");
}

CallPlans plan_calls(const LoweredClause& clause, const Options& options, const CallsOf& calls_of) {
  CallPlans all;
  const bool arguments = names(clause, "argstr"), result = names(clause, "retstr");
  if ((!arguments && !result) || !calls_of || options.text("argstr") == "classic") return all;
  const bool descriptors = options.text("argstr") != "plain";
  all.slots.arguments = arguments;
  all.slots.result = result;
  all.slots.descriptors = descriptors;
  for (const CallProbe& call : calls_of(clause)) {
    if (call.call == CallProbe::kNone) {
      all.beside_others = true;
      continue;
    }
    all.slots.decoded = true;
    const auto& captures = captures_of(call.call, {call.returns, arguments, result, descriptors});
    auto same = std::ranges::find_if(
        all.plans, [&](const CallPlan& plan) { return plan.returns == call.returns && plan.captures == captures; });
    if (same == all.plans.end()) {
      same = all.plans.insert(all.plans.end(), CallPlan{captures, call.returns, {}});
      widen(all, *same, static_cast<uint32_t>(options.number("strsize")));
    }
    same->probes.push_back(call.probe);
  }
  return all;
}

void emit_call(DifEmitter& out, const CallPlan& plan, const CallSlots& slots, uint32_t strsize) {
  CallEmitter(out, plan, slots, strsize).emit();
}

}  // namespace sonde
