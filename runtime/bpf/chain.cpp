// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include "runtime/bpf/chain.h"

#include <algorithm>
#include <vector>

#include "runtime/bpf/bpf_call.h"

namespace sonde::bpf {
namespace {

constexpr uint32_t kColumns = 12;    ///< of a part
constexpr uint32_t kMostParts = 30;  ///< the kernel follows 33 tail calls, one of which is the stub's

Result<UniqueFd> load_part(const char* name, const HookProgram& wanted, const World& world, bpf_prog_type type,
                           const Part& part) {
  auto insns = build_hook(wanted, world, part);
  if (!insns) return std::move(insns).error();
  return load_program(name, *insns, type);
}

/// Whole sections as long as they are short enough together; a longer one is cut.
std::vector<Part> plan_parts(const HookProgram& wanted) {
  std::vector<Part> parts;
  uint32_t columns = 0, all = 0;
  for (const Section& section : wanted.sections) all += static_cast<uint32_t>(section.columns.size());
  const uint32_t each = std::max(kColumns, (all + kMostParts - 1) / kMostParts);
  const auto add = [&](Part part) {
    part.number = static_cast<uint32_t>(parts.size());
    parts.push_back(part);
  };
  for (uint32_t n = 0; n < wanted.sections.size(); n++) {
    const auto own = static_cast<uint32_t>(wanted.sections[n].columns.size());
    const bool joins = !parts.empty() && !parts.back().is_cut && parts.back().first == 0 && columns + own <= each;
    if (joins) {
      parts.back().sections++;
      columns += own;
      continue;
    }
    columns = own;
    if (own <= each) {
      add({.section = n, .sections = 1});
      continue;
    }
    for (uint32_t first = 0; first < own; first += each)
      add({.section = n,
           .sections = 1,
           .first = first,
           .end = std::min(own, first + each),
           .is_cut = first + each < own});
  }
  for (size_t n = 0; n < parts.size(); n++) {
    size_t next = n + 1;
    while (next < parts.size() && parts[next].first > 0) next++;
    parts[n].then = next < parts.size() ? static_cast<uint32_t>(next) : 0;
  }
  return parts;
}

}  // namespace

Result<LoadedHook> load_hook(const char* name, const HookProgram& wanted, const World& world, bpf_prog_type type) {
  std::vector<Part> parts = plan_parts(wanted);
  LoadedHook loaded;
  if (parts.size() > kMostParts + 2) return Error("too many clauses on probes of one kind for this source", E2BIG);
  if (parts.size() > 1) {
    auto chain =
        create_map("chain", {BPF_MAP_TYPE_PROG_ARRAY, 4, 4, chain_index(static_cast<uint32_t>(parts.size()), 0), 0});
    if (!chain) return std::move(chain).error();
    loaded.chain = std::move(*chain);
  }
  for (Part& part : parts) {
    part.chain = loaded.chain.get();
    for (part.held = 0; part.held <= (part.first == 0 ? 0 : kLevels); part.held++) {
      auto program = load_part(name, wanted, world, type, part);
      if (!program) return std::move(program).error();
      if (part.number == 0) {
        loaded.program = std::move(*program);
        continue;
      }
      const uint32_t index = chain_index(part.number, part.held);
      const auto fd = static_cast<uint32_t>(program->get());
      if (auto done = update_map(loaded.chain.get(), &index, &fd); !done) return std::move(done).error();
    }
  }
  return loaded;
}

}  // namespace sonde::bpf
