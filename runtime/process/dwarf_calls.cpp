// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/dwarf_calls.h"

#include <dwarf.h>

#include <optional>

namespace sonde {
namespace {

constexpr int kDeepestCalls = 64;  // blocks in blocks

/// The entry that an attribute of a call names: the function that is called.
void* origin_of(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Die origin;
  const bool found = dwarf_attr(&die, name, &attribute) != nullptr && dwarf_formref_die(&attribute, &origin) != nullptr;
  return found ? origin.addr : nullptr;
}

/// The address behind a call; nothing: it is a jump.
std::optional<uint64_t> behind_call(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Addr address = 0;
  if (dwarf_attr(&die, name, &attribute) == nullptr || dwarf_formaddr(&attribute, &address) != 0) return std::nullopt;
  return address;
}

}  // namespace

void DwarfCalls::index(Dwarf_Die& parent, int depth) {
  Dwarf_Die child;
  if (depth > kDeepestCalls || dwarf_child(&parent, &child) != 0) return;
  do {
    const int tag = dwarf_tag(&child);
    const bool gnu = tag == DW_TAG_GNU_call_site;  // DWARF 4
    if (gnu || tag == DW_TAG_call_site) {
      void* called = origin_of(child, gnu ? DW_AT_abstract_origin : DW_AT_call_origin);
      const auto address = behind_call(child, gnu ? DW_AT_low_pc : DW_AT_call_return_pc);
      if (called != nullptr && address) behind_[called].push_back(*address);
    } else if (tag != DW_TAG_structure_type && tag != DW_TAG_class_type) {
      index(child, depth + 1);
    }
  } while (dwarf_siblingof(&child, &child) == 0);
}

std::vector<uint64_t> DwarfCalls::behind(Dwarf_Die& function) {
  Dwarf_Die unit;
  if (dwarf_diecu(&function, &unit, nullptr, nullptr) == nullptr) return {};
  if (units_.insert(unit.addr).second) index(unit, 0);
  std::vector<uint64_t> all;
  for (void* named : {function.addr, origin_of(function, DW_AT_abstract_origin)})
    if (auto at = behind_.find(named); at != behind_.end()) all.insert(all.end(), at->second.begin(), at->second.end());
  return all;
}

}  // namespace sonde
