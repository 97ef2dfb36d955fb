// SPDX-License-Identifier: GPL-3.0-or-later
// Actions on the output: they are recorded, and the consumer does them when what was recorded before them has been
// written.
#include <string>
#include <utility>

#include "runtime/body/state.h"
#include "runtime/body/subroutines.h"

namespace sonde {

extern "C" {

void sonde_act_system(BodyContext* context, const ActionSite* site, uint32_t, const uint64_t* argv) {
  record_values(context, TraceItem::Kind::System, *site, argv);
}

void sonde_act_freopen(BodyContext* context, const ActionSite* site, uint32_t, const uint64_t* argv) {
  record_values(context, TraceItem::Kind::Freopen, *site, argv);
}

void sonde_act_ftruncate(BodyContext* context, const ActionSite* site, uint32_t, const uint64_t* argv) {
  record_values(context, TraceItem::Kind::Ftruncate, *site, argv);
}

void sonde_act_setopt(BodyContext* context, const ActionSite*, uint32_t argc, const uint64_t* argv) {
  BodyState& state = *context->state;
  std::string name(string_argument(context, argv[0]));
  std::string value(argc > 1 ? string_argument(context, argv[1]) : "1");
  if (context->fault != 0) return;
  state.begin_trace(*context);
  std::string where = fault_prefix(context->epid, *context->probe);
  state.act([&state, where = std::move(where), name = std::move(name), value = std::move(value)] {
    if (auto set = state.options.set(name, value, true, true); !set)
      state.message(where + "couldn't set option \"" + name + "\" to \"" + value + "\": " + set.error().message() +
                    "\n");
    state.refresh_settings();
  });
}

}  // extern "C"

}  // namespace sonde
