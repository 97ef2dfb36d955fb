// SPDX-License-Identifier: GPL-3.0-or-later
// Which call of the provider interface is allowed where
//
// The framework knows, for each thread, which op of which provider it is running. Every call of the provider interface
// asks check_call() first. A call that docs/provider-interface.md does not allow there is reported on standard error
// with provider, op and call, or to the checker of providers (observers.h). With SONDE_STRICT_PROVIDERS=1 in the
// environment (the tests set it) sonde then aborts; otherwise the call fails and the provider goes on. An exception
// that leaves an op is reported in the same way; the op has ended then, and what it did before remains.
#pragma once

#include <cstdint>
#include <new>
#include <string>

#include "runtime/base/thread.h"
#include "runtime/framework/op_scope.h"

namespace sonde {

/// What a provider may ask of the framework.
enum class Call : uint8_t {
  Register,  ///< dtrace_register, _unregister, _invalidate, _condense, sonde_on_target, _on_target_end, _on_description, _provide_always
  ProbeCreate,
  ProbeLookup,  ///< and dtrace_probe_arg
  Probe,        ///< and sonde_probe_fire
  GetArg,
  TapArm,
  TapDisarm,
  ProvideError,  ///< and sonde_provide_match, sonde_follow
  Targets,       ///< sonde_targets, sonde_mappings, sonde_function_places
  PrintMessage,
};

bool call_allowed(ProviderOp op, Call call);

/// The text of the exception that is being handled.
std::string exception_text();

/// Reports what a call refuses, and why: once on standard error, or to the checker of providers. The provider goes on.
void report_refusal(const char* provider, const std::string& text);

/// Reports what a provider must not do: `text` begins with the op or call. With SONDE_STRICT_PROVIDERS it then aborts.
void report_violation(const char* provider, const std::string& text);

/// For a catch block: reports what `op` has thrown. While a provider is being checked, it rethrows the exception.
void tell_exception(ProviderOp op, const char* provider);

/// Runs `call`, which calls `op` of `owner`; false when it has thrown. Throws on what ends the run: NoThread, which only our
/// own providers throw, because a probe that needs a thread, and has none, would never fire; and that memory is used up,
/// where our own providers find it.
template <typename Call>
bool run_op(ProviderOp op, OpOwner owner, const Call& call) {
  OpScope scope(op, owner);
  try {
    call();
    return true;
  } catch (const NoThread&) {
    throw;
  } catch (const std::bad_alloc&) {
    if (*owner.file == '\0') throw;
    tell_exception(op, *owner.provider != '\0' ? owner.provider : owner.file);
    return false;
  } catch (...) {
    tell_exception(op, *owner.provider != '\0' ? owner.provider : owner.file);
    return false;
  }
}

/// True when `call` is allowed here. Otherwise it reports the call (see above). `function` is its C name. Takes no
/// lock.
bool check_call(Call call, const char* function);

}  // namespace sonde
