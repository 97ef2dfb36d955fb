// SPDX-License-Identifier: GPL-3.0-or-later
// Who may call what from where
//
// The framework notes, a thread, which op of which provider it is running. Each call of the provider
// interface asks here first; what docs/provider-interface.md does not allow is printed with provider, op and call, or told to who
// checks the provider (observers.h). With SONDE_STRICT_PROVIDERS=1 in the environment (the tests) it then aborts; else the call fails
// and the provider goes on. An exception that leaves an op is told in the same way; the op has ended then, and what it did stands.
#pragma once

#include <cstdint>
#include <string>

namespace sonde {

/// What the framework is doing on this thread.
enum class ProviderOp : uint8_t {
  None,
  Provide,
  ProvideModule,
  Enable,
  Disable,
  Suspend,
  Resume,
  GetArgDesc,
  GetArgVal,
  UserMode,
  Destroy,
};

/// What a provider may ask of the framework.
enum class Call : uint8_t {
  Register,  ///< dtrace_register, _unregister, _invalidate, _condense, sonde_on_target, sonde_provide_always
  ProbeCreate,
  ProbeLookup,  ///< and dtrace_probe_arg
  Probe,
  GetArg,
  TapArm,
  TapDisarm,
  ProvideError,  ///< and sonde_provide_match, sonde_follow
  Targets,       ///< sonde_targets, sonde_mappings, sonde_function_places
  Tell,
};

const char* op_name(ProviderOp op);
bool call_allowed(ProviderOp op, Call call);

/// What the exception that is being handled says.
std::string exception_text();

/// While it lives, this thread runs `op` of `provider` (whose text outlives it). Nests.
class OpScope {
 public:
  OpScope(ProviderOp op, const char* provider);
  ~OpScope();
  OpScope(const OpScope&) = delete;
  OpScope& operator=(const OpScope&) = delete;

 private:
  ProviderOp outer_op_;
  const char* outer_provider_;
};

ProviderOp current_op();

/// In a handler: tells which op has thrown what. Where the provider is being checked, the exception goes on.
void tell_exception(ProviderOp op, const char* provider);

/// Makes `call`, which calls `op` of `provider`; false when it has thrown.
template <typename Call>
bool run_op(ProviderOp op, const char* provider, const Call& call) {
  OpScope scope(op, provider);
  try {
    call();
    return true;
  } catch (...) {
    tell_exception(op, provider);
    return false;
  }
}

/// True when `call` may be made here. Else says so (see above); `function` is the call's C name. Takes no lock.
bool check_call(Call call, const char* function);

}  // namespace sonde
