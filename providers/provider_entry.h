// SPDX-License-Identifier: GPL-3.0-or-later
// The functions of each provider that the registry calls.
#pragma once

#include "providers/registry.h"

extern "C" {
#define SONDE_PROVIDER_ENTRY(name)                       \
  int sonde_##name##_register(void); /* 0 or an errno */ \
  void sonde_##name##_unregister(void);
SONDE_PROVIDERS(SONDE_PROVIDER_ENTRY)
#undef SONDE_PROVIDER_ENTRY
}
