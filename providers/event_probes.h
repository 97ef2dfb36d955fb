// SPDX-License-Identifier: GPL-3.0-or-later
// For providers whose probes are one tap each, from a table: proc and signal.
#pragma once

#include <span>

#include "runtime/framework/provider.h"

namespace sonde {

/// args[index]: the argument of the event that has this role.
struct EventArgument {
  int index;
  sonde_role role;
  const char* native = nullptr;  ///< null: the role's own type
  const char* translated = "";   ///< "": not translated
};

struct EventProbe {
  const char* name;
  sonde_tap_kind tap;
  EventArgument arguments[5];
  int argument_count;
};

/// A probe that scripts may name and no source has, with a message for the user.
struct RefusedProbe {
  const char* name;
  const char* message;
};

struct EventProvider {
  const char* name;
  std::span<const EventProbe> probes;
  std::span<const RefusedProbe> refused;
  dtrace_provider_id_t id = 0;
};

/// Registers `provider`, which must live as long as it is registered. 0 or an errno.
int register_event_provider(EventProvider& provider);

}  // namespace sonde
