// SPDX-License-Identifier: GPL-3.0-or-later
// Built-in variables that bodies compute.
//
// argstr and retstr are made from what the fire part has captured: the call's words, and its memory (runtime/syscall/).
// They have no operand, so they search the fire part for the slot: the CAPW of a register that an ARG or VAR has just
// loaded.
#include <sys/syscall.h>

#include <array>
#include <optional>
#include <utility>

#include "runtime/body/state.h"
#include "runtime/body/subroutines.h"
#include "runtime/process/syscall_table.h"
#include "runtime/syscall/decode.h"
#include "runtime/syscall/shape.h"
#include "runtime/syscall/structures.h"

namespace sonde {
namespace {

uint64_t text(const std::string& text) { return reinterpret_cast<uint64_t>(text.c_str()); }

/// The instruction that loaded a register: ARG or VAR, with its number.
using Origin = std::pair<uint8_t, int32_t>;

/// The slot into which the fire part captures it.
std::optional<uint32_t> slot_of(const FireProgram& fire, Origin wanted) {
  std::array<Origin, SONDE_DIF_REGISTERS> holds{};
  for (const sonde_dif_insn& insn : fire.insns) {
    if (insn.op == SONDE_DIF_CAPW) {
      if (insn.a < holds.size() && holds[insn.a] == wanted) return insn.d;
    } else if (insn.op < SONDE_DIF_CAPW && insn.d < holds.size()) {
      const bool loads = insn.op == SONDE_DIF_ARG || insn.op == SONDE_DIF_VAR;
      const bool cuts = insn.op == SONDE_DIF_SX || insn.op == SONDE_DIF_ZX;
      holds[insn.d] = loads ? Origin{insn.op, insn.i} : cuts && insn.a < holds.size() ? holds[insn.a] : Origin{};
    }
  }
  return std::nullopt;
}

uint64_t captured(const BodyContext* context, Origin origin) {
  if (context->clause->fire == nullptr) return 0;
  std::optional<uint32_t> slot = slot_of(*context->clause->fire, origin);
  return slot && *slot < context->record->slots ? context->slots[*slot] : 0;
}

uint64_t argument(const BodyContext* context, int32_t number) { return captured(context, {SONDE_DIF_ARG, number}); }

int error_of(const BodyContext* context) {
  return static_cast<int>(captured(context, {SONDE_DIF_VAR, SONDE_DIF_VAR_ERRNO}));
}

// ---- system calls ----------------------------------------------------------------------------------------------

/// The number of the probe's call; kUnnamedCall: it has no name. None: the probe is none of a call.
std::optional<uint32_t> syscall_of(const BodyContext* context) {
  if (context->probe->provider != "syscall") return std::nullopt;
  const SyscallInfo* call = find_syscall(context->probe->function);
  return call != nullptr ? call->number : kUnnamedCall;
}

bool returns(const BodyContext* context) { return context->probe->name == "return"; }

/// The slots of a call; without words if only numbers were captured.
CallSlots slots_of(const BodyContext* context) {
  return context->clause->fire == nullptr ? CallSlots{} : context->clause->fire->call;
}

/// Memory is decoded in the layout of 64-bit code only.
bool is_decoded(const BodyContext* context) {
  const CallSlots slots = slots_of(context);
  return slots.decoded && context->slots[slots.words + 6] != kCompatCodeSegment &&
         !context->state->options.flag("syscall_arg_type");
}

std::array<uint64_t, 6> words_of(const BodyContext* context) {
  const CallSlots slots = slots_of(context);
  std::array<uint64_t, 6> words;
  for (uint32_t i = 0; i < 6; ++i)
    words[i] = slots.decoded ? context->slots[slots.words + i] : argument(context, static_cast<int32_t>(i));
  return words;
}

SystemCall call_of(const BodyContext* context, uint32_t call) {
  return {call,
          words_of(context),
          returns(context),
          static_cast<int64_t>(argument(context, 0)),
          error_of(context),
          context->state->units_in_calls};
}

CallMemory memory_of(const BodyContext* context, uint32_t call) {
  const CallSlots slots = slots_of(context);
  const auto& captures = captures_of(call, {returns(context), slots.arguments, slots.result, slots.descriptors});
  return collect(captures, slots, *context->record, words_of(context), static_cast<int64_t>(argument(context, 0)));
}

/// The key of a call's caller: its thread or, for exec, which may change the tid to the pid, its process.
uint32_t caller_of(const BodyContext* context, uint32_t call) {
  return call == SYS_execve || call == SYS_execveat ? context->record->pid : context->record->tid;
}

/// Name and siginfo of a signal, or status of an end: `SIGINT {si_signo=SIGINT, ...}`, `exited with 3`.
std::string text_of_event(const BodyContext* context) {
  const std::string_view provider = context->probe->provider, name = context->probe->name;
  std::array<uint64_t, SONDE_DIF_ARGS> args{};
  for (size_t i = 0; i < args.size(); ++i) args[i] = argument(context, static_cast<int32_t>(i));
  if (provider == "signal" || (provider == "proc" && name.starts_with("signal-")))
    return format_signal(args[0]) + " " + format_siginfo(args);
  if (provider == "proc" && (name == "exit" || name == "lwp-exit")) return format_end(args[0], args[1]);
  return "";
}

/// Makes a string; one that is cut ends in a mark.
uint64_t make_marked(BodyContext* context, std::string text) {
  const size_t most = context->state->strsize;
  if (text.size() > most && most > 3) text.replace(most - 3, std::string::npos, "...");
  return make_string(context, text);
}

}  // namespace

extern "C" {

uint64_t sonde_var_epid(BodyContext* context) { return context->epid; }
/// pid* has a probe for all processes: the record says whose it is.
uint64_t sonde_var_probeprov(BodyContext* context) {
  const std::string& provider = context->probe->provider;
  if (!provider.ends_with('*')) return text(provider);
  return make_string(context, provider.substr(0, provider.size() - 1) + std::to_string(context->record->pid));
}
uint64_t sonde_var_probemod(BodyContext* context) { return text(context->probe->module); }
uint64_t sonde_var_probefunc(BodyContext* context) { return text(context->probe->function); }
uint64_t sonde_var_probename(BodyContext* context) { return text(context->probe->name); }

// The time of the firing, because the body runs later. Each further reading in a clause is a nanosecond later.
uint64_t sonde_var_walltimestamp(BodyContext* context) {
  return context->record->timestamp + static_cast<uint64_t>(context->state->wall_offset) +
         context->state->wall_readings++;
}

uint64_t sonde_var_argstr(BodyContext* context) {
  const std::optional<uint32_t> call = syscall_of(context);
  if (!call) return make_marked(context, text_of_event(context));
  if (is_decoded(context) && returns(context)) {
    const auto before = context->state->calls_before.find(caller_of(context, *call));
    const CallShape* shape = find_shape(*call);
    if (before != context->state->calls_before.end() && shape != nullptr && shape->before)
      return make_marked(context, before->second);
  }
  if (is_decoded(context))
    return make_marked(context, decode_arguments(call_of(context, *call), memory_of(context, *call)));
  std::array<uint64_t, 6> arguments = words_of(context);
  return make_string(context,
                     format_syscall_arguments(*call, arguments, context->state->options.flag("syscall_arg_type")));
}

uint64_t sonde_var_retstr(BodyContext* context) {
  const std::optional<uint32_t> call = syscall_of(context);
  if (call && is_decoded(context) && returns(context))
    return make_marked(context, decode_result(call_of(context, *call), memory_of(context, *call)));
  return make_string(context, format_syscall_result(argument(context, 0), error_of(context)));
}

int32_t sonde_remember_call(BodyContext* context) {
  constexpr size_t kMost = 1 << 16;  // entries of threads that have ended inside a call
  const std::optional<uint32_t> call = syscall_of(context);
  if (!call || !is_decoded(context)) return 1;
  auto& before = context->state->calls_before;
  if (before.size() >= kMost) before.clear();
  before[caller_of(context, *call)] = decode_arguments(call_of(context, *call), memory_of(context, *call));
  return 1;
}

}  // extern "C"

}  // namespace sonde
