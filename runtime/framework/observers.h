// SPDX-License-Identifier: GPL-3.0-or-later
// Callbacks that observe a provider while it is being checked (runtime/plugin). In a normal run there are none.
#pragma once

#include <atomic>
#include <cstdint>

namespace sonde {

struct ProviderObservers {
  /// Replaces the line on standard error: the provider, and "CALL may not be called from OP".
  void (*wrong_call)(const char* provider, const char* text) = nullptr;
  /// Replaces the line on standard error about a call that was refused, though the provider goes on.
  void (*refused)(const char* provider, const char* text) = nullptr;
  /// This thread has called dtrace_probe() or sonde_probe_fire().
  void (*fired)(uint32_t probe, const uint64_t args[5]) = nullptr;
};

/// Null: no observers. The object lives for ever.
inline std::atomic<const ProviderObservers*> g_provider_observers{nullptr};

}  // namespace sonde
