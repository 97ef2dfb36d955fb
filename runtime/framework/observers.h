// SPDX-License-Identifier: GPL-3.0-or-later
// Who hears what a provider does, where one is being checked (runtime/plugin). In a run nobody does.
#pragma once

#include <atomic>
#include <cstdint>

namespace sonde {

struct ProviderObservers {
  /// Instead of the line on standard error: PROVIDER, and "CALL may not be called from OP".
  void (*wrong_call)(const char* provider, const char* text) = nullptr;
  /// dtrace_probe() was called, on this thread.
  void (*fired)(uint32_t probe, const uint64_t args[5]) = nullptr;
};

/// Null: nobody. What it points to lives for ever.
inline std::atomic<const ProviderObservers*> g_provider_observers{nullptr};

}  // namespace sonde
