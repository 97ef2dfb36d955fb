// SPDX-License-Identifier: GPL-3.0-or-later
// Ops that providers have in common whose probes are taps
//
//   provider                          parg          dtps_enable           dtps_disable          dtps_destroy
//   syscall, proc, tracepoints, ...   of a table    its own               disarm                nothing
//   cpc                               its Probe     its own               disarm                destroy<Probe>
//   pid, usdt, translation            its Probe     enable<Probe, arm>    disable<Probe>        destroy<Probe>
//
// A probe of the last kind has taps at places that may become more: its `spots`, and whether it is `enabled`.
#pragma once

#include "runtime/framework/provider.h"

namespace sonde::tap_probes {

inline void disarm(void*, dtrace_id_t id, void*) { sonde_tap_disarm(id); }
inline void nothing(void*, dtrace_id_t, void*) {}

template <typename Probe>
void destroy(void*, dtrace_id_t, void* parg) {
  delete static_cast<Probe*>(parg);
}

/// arm(id, probe, spot) arms one of its taps.
template <typename Probe, auto arm>
void enable(void*, dtrace_id_t id, void* parg) {
  auto& probe = *static_cast<Probe*>(parg);
  probe.enabled = true;
  for (const auto& spot : probe.spots) arm(id, probe, spot);
}

template <typename Probe>
void disable(void*, dtrace_id_t id, void* parg) {
  static_cast<Probe*>(parg)->enabled = false;
  sonde_tap_disarm(id);
}

}  // namespace sonde::tap_probes
