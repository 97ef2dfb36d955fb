// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/source/bpf_plan.h"

#include "runtime/bpf/hook_program.h"

namespace sonde {
namespace {

/// Gives the ECBs of a probe their columns, and the probe its row. Without ECBs it has none.
void add_probe(PlannedSection& section, uint32_t row, ProbeId probe, const std::map<uint32_t, Ecb>& ecbs) {
  std::vector<uint32_t> words = {probe.value};
  uint32_t column = 0;
  for (const auto& [epid, ecb] : ecbs) {
    if (ecb.probe != probe) continue;
    while (column < section.programs.size() && section.programs[column] != ecb.program.value) column++;
    if (column == section.programs.size()) section.programs.push_back(ecb.program.value);
    words.resize(1 + column + 1);
    words[1 + column++] = epid;
  }
  if (column > 0) section.rows[row] = std::move(words);
}

}  // namespace

std::vector<PlannedSection> plan_hook(bpf::Hook hook, const std::map<uint32_t, Tap>& taps,
                                      const std::map<uint32_t, Ecb>& ecbs) {
  std::vector<PlannedSection> plan;
  uint32_t row = bpf::kCalls;
  for (const sonde_tap_kind kind : bpf::kHookRows[static_cast<size_t>(hook)].kinds) {
    PlannedSection calls{kind};
    for (const auto& [id, tap] : taps) {
      if (tap.kind != kind) continue;
      PlannedSection own{kind, row};
      if (bpf::is_call(kind)) {
        add_probe(calls, tap.number, tap.probe, ecbs);
      } else if (add_probe(own, row, tap.probe, ecbs); !own.rows.empty()) {
        plan.push_back(std::move(own));
        row++;
      }
    }
    if (!calls.rows.empty()) plan.push_back(std::move(calls));
  }
  return plan;
}

std::map<std::string, std::vector<PlannedSection>> plan_named(const std::map<uint32_t, Tap>& taps,
                                                              const std::map<uint32_t, Ecb>& ecbs) {
  std::map<std::string, std::vector<PlannedSection>> plans;
  for (const auto& [id, tap] : taps) {
    if (tap.kind != SONDE_TAP_TRACEPOINT) continue;
    std::vector<PlannedSection>& plan = plans[tap.path];
    PlannedSection own{tap.kind, bpf::kCalls + static_cast<uint32_t>(plan.size()), {}, {}};
    add_probe(own, own.row, tap.probe, ecbs);
    if (!own.rows.empty()) plan.push_back(std::move(own));
  }
  std::erase_if(plans, [](const auto& one) { return one.second.empty(); });
  return plans;
}

std::vector<PlannedSection> plan_tap(const Tap& tap, const std::map<uint32_t, Ecb>& ecbs) {
  PlannedSection own{tap.kind, bpf::kCalls, {}, {}};
  add_probe(own, own.row, tap.probe, ecbs);
  return own.rows.empty() ? std::vector<PlannedSection>() : std::vector{std::move(own)};
}

}  // namespace sonde
