// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/framework/context.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/base/check.h"

namespace sonde {
namespace {

thread_local Op t_op = Op::None;
thread_local const char* t_provider = "";

constexpr uint32_t bit(Call call) { return 1u << static_cast<unsigned>(call); }

/// The calls that an op may make: the table of docs/providers.md.
constexpr uint32_t allowed_calls(Op op) {
  switch (op) {
    case Op::None:
      return bit(Call::Register) | bit(Call::ProbeCreate) | bit(Call::ProbeLookup) | bit(Call::Probe) |
             bit(Call::Targets);
    case Op::Provide:
    case Op::ProvideModule:
      return bit(Call::ProbeCreate) | bit(Call::ProbeLookup) | bit(Call::ProvideError) | bit(Call::Targets) |
             bit(Call::Probe);
    case Op::Enable: return bit(Call::TapArm) | bit(Call::TapDisarm);
    case Op::Disable: return bit(Call::TapDisarm);
    case Op::GetArgDesc: return bit(Call::ProbeLookup) | bit(Call::Probe);
    case Op::GetArgVal: return bit(Call::GetArg);
    case Op::Suspend:
    case Op::Resume:
    case Op::UserMode:
    case Op::Destroy: return 0;
  }
  return 0;
}

bool strict() {
  const char* text = std::getenv("SONDE_STRICT_PROVIDERS");
  return text != nullptr && std::strcmp(text, "1") == 0;
}

}  // namespace

const char* op_name(Op op) {
  switch (op) {
    case Op::None: return "no op";
    case Op::Provide: return "dtps_provide";
    case Op::ProvideModule: return "dtps_provide_module";
    case Op::Enable: return "dtps_enable";
    case Op::Disable: return "dtps_disable";
    case Op::Suspend: return "dtps_suspend";
    case Op::Resume: return "dtps_resume";
    case Op::GetArgDesc: return "dtps_getargdesc";
    case Op::GetArgVal: return "dtps_getargval";
    case Op::UserMode: return "dtps_usermode";
    case Op::Destroy: return "dtps_destroy";
  }
  return "?";
}

bool call_allowed(Op op, Call call) { return (allowed_calls(op) & bit(call)) != 0; }

OpScope::OpScope(Op op, const char* provider) : outer_op_(t_op), outer_provider_(t_provider) {
  t_op = op;
  t_provider = provider;
}

OpScope::~OpScope() {
  t_op = outer_op_;
  t_provider = outer_provider_;
}

Op current_op() { return t_op; }

bool check_call(Call call, const char* function) {
  if (call_allowed(t_op, call)) return true;
  std::fprintf(stderr, "sonde: provider %s: %s may not be called from %s\n", t_provider, function, op_name(t_op));
  if (strict()) std::abort();
  return false;
}

}  // namespace sonde
