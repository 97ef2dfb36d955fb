// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/framework/context.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "runtime/framework/aftermath.h"
#include "runtime/framework/observers.h"

namespace sonde {
namespace {

constexpr uint32_t bit(Call call) { return 1u << static_cast<unsigned>(call); }

/// The calls that an op may make: the table of docs/provider-interface.md.
constexpr uint32_t allowed_calls(ProviderOp op) {
  switch (op) {
    case ProviderOp::None:
    case ProviderOp::Start:
    case ProviderOp::Stop:
    case ProviderOp::OnTarget:
      return bit(Call::Register) | bit(Call::ProbeCreate) | bit(Call::ProbeLookup) | bit(Call::Probe) |
             bit(Call::Targets);
    case ProviderOp::OnDescription:
      return allowed_calls(ProviderOp::OnTarget) | bit(Call::ProvideError) | bit(Call::PrintMessage) |
             bit(Call::TapArm);
    case ProviderOp::Provide:
    case ProviderOp::ProvideModule:
      return bit(Call::ProbeCreate) | bit(Call::ProbeLookup) | bit(Call::ProvideError) | bit(Call::Targets) |
             bit(Call::Probe) | bit(Call::TapArm) | bit(Call::PrintMessage);
    case ProviderOp::Enable: return bit(Call::TapArm) | bit(Call::TapDisarm) | bit(Call::PrintMessage);
    case ProviderOp::Disable: return bit(Call::TapDisarm);
    case ProviderOp::GetArgDesc: return bit(Call::ProbeLookup) | bit(Call::Probe);
    case ProviderOp::GetArgVal: return bit(Call::GetArg);
    case ProviderOp::Suspend:
    case ProviderOp::Resume:
    case ProviderOp::UserMode:
    case ProviderOp::Destroy: return 0;
  }
  return 0;
}

bool strict() {
  const char* text = std::getenv("SONDE_STRICT_PROVIDERS");
  return text != nullptr && std::strcmp(text, "1") == 0;
}

/// Prints each text of a provider only once: an op may be called a million times a second.
void print_once(const char* provider, const std::string& text) {
  static std::mutex mutex;
  static std::set<std::pair<std::string, std::string>> printed;
  std::lock_guard lock(mutex);
  if (!printed.emplace(provider, text).second) return;
  const std::string who = *provider == '\0' ? "" : "provider " + std::string(provider) + ": ";
  std::fprintf(stderr, "sonde: %s%s\n", who.c_str(), text.c_str());
}

/// Its provider; in start() and stop(), which are no provider's, the plug-in's file.
const char* name_for_messages(const OpScope* scope) {
  if (scope == nullptr) return "";
  return *scope->owner().provider != '\0' ? scope->owner().provider : scope->owner().file;
}

}  // namespace

bool call_allowed(ProviderOp op, Call call) { return (allowed_calls(op) & bit(call)) != 0; }

std::string exception_text() {
  try {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "something that is no std::exception";
  }
}

void report_violation(const char* provider, const std::string& text) {
  const ProviderObservers* observers = g_provider_observers.load(std::memory_order_relaxed);
  if (observers != nullptr && observers->wrong_call != nullptr) return observers->wrong_call(provider, text.c_str());
  print_once(provider, text);
  if (strict()) std::abort();
}

void tell_exception(ProviderOp op, const char* provider) {
  if (g_provider_observers.load(std::memory_order_relaxed) != nullptr) throw;
  report_violation(provider, std::string(op_name(op)) + " throws: " + exception_text());
}

void report_refusal(const char* provider, const std::string& text) {
  const ProviderObservers* observers = g_provider_observers.load(std::memory_order_relaxed);
  if (observers == nullptr) return print_once(provider, text);
  if (observers->refused != nullptr) observers->refused(provider, text.c_str());
}

bool check_call(Call call, const char* function) {
  if (is_forked_by_plugin()) end_forked_child();
  if (call == Call::Probe) {
    [[maybe_unused]] thread_local const bool through = (let_crashes_through(), true);
  }
  const ProviderOp op = current_op();
  if (call_allowed(op, call)) return true;
  report_violation(name_for_messages(OpScope::current()),
                   std::string(function) + " may not be called from " + op_name(op));
  return false;
}

}  // namespace sonde
