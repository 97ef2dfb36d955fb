// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/registry.h"

#include <ranges>

#include "providers/provider_entry.h"
#include "runtime/base/check.h"

namespace sonde {
namespace {

struct Entry {
  int (*add)(void);
  void (*remove)(void);
};

constexpr Entry kEntries[] = {
#define SONDE_PROVIDER_ENTRY(name) {sonde_##name##_register, sonde_##name##_unregister},
    SONDE_PROVIDERS(SONDE_PROVIDER_ENTRY)
#undef SONDE_PROVIDER_ENTRY
};

}  // namespace

void register_providers() {
  for (const Entry& entry : kEntries) SONDE_CHECK(entry.add() == 0);
}

void unregister_providers() {
  for (const Entry& entry : std::views::reverse(kEntries)) entry.remove();
}

}  // namespace sonde
