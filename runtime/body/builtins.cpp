// SPDX-License-Identifier: GPL-3.0-or-later
// Built-in variables that bodies compute.
//
// argstr and retstr are made of the probe's arguments, which the fire part has captured as words. They take no
// operand, so they look in the fire part which slot holds what: the CAPW of a register that ARG or VAR has just loaded.
#include <array>
#include <optional>
#include <utility>

#include "runtime/body/state.h"
#include "runtime/body/subroutines.h"
#include "runtime/process/syscall_table.h"

namespace sonde {
namespace {

uint64_t text(const std::string& text) { return reinterpret_cast<uint64_t>(text.c_str()); }

/// What a register was loaded from: ARG or VAR, and its number.
using Origin = std::pair<uint8_t, int32_t>;

/// The slot that the fire part captures it into.
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

}  // namespace

extern "C" {

uint64_t sonde_var_epid(BodyContext* context) { return context->epid; }
uint64_t sonde_var_probeprov(BodyContext* context) { return text(context->probe->provider); }
uint64_t sonde_var_probemod(BodyContext* context) { return text(context->probe->module); }
uint64_t sonde_var_probefunc(BodyContext* context) { return text(context->probe->function); }
uint64_t sonde_var_probename(BodyContext* context) { return text(context->probe->name); }

// The time of the firing, for the body runs later. A clock that is read again has gone on, by a nanosecond.
uint64_t sonde_var_walltimestamp(BodyContext* context) {
  return context->record->timestamp + static_cast<uint64_t>(context->state->wall_offset) +
         context->state->wall_readings++;
}

uint64_t sonde_var_argstr(BodyContext* context) {
  const SyscallInfo* call = context->probe->provider == "syscall" ? find_syscall(context->probe->function) : nullptr;
  if (call == nullptr) return make_string(context, "");
  std::array<uint64_t, 6> arguments;
  for (int32_t i = 0; i < 6; ++i) arguments[static_cast<size_t>(i)] = argument(context, i);
  bool with_types = context->state->options.flag("syscall_arg_type");
  return make_string(context, format_syscall_arguments(call->number, arguments, with_types));
}

uint64_t sonde_var_retstr(BodyContext* context) {
  const auto error = static_cast<int>(captured(context, {SONDE_DIF_VAR, SONDE_DIF_VAR_ERRNO}));
  return make_string(context, format_syscall_result(argument(context, 0), error));
}

}  // extern "C"

}  // namespace sonde
