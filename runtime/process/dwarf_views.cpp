// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/dwarf_views.h"

#include <dwarf.h>

#include <string_view>

namespace sonde {
namespace {

constexpr int kDeepest = 64;  // blocks in blocks

std::string_view producer_of(Dwarf_Die& unit) {
  Dwarf_Attribute attribute;
  const char* text =
      dwarf_attr_integrate(&unit, DW_AT_producer, &attribute) != nullptr ? dwarf_formstring(&attribute) : nullptr;
  return text != nullptr ? text : "";
}

bool is_by_gcc_alone(std::string_view producer) {
  return producer.starts_with("GNU ") && !producer.starts_with("GNU GIMPLE");  // which optimizes at link time
}

/// Then each variable has one place, in memory. Gcc notes its switches, unless it was told not to; -mtune is always one.
bool is_unoptimized(std::string_view producer) {
  const size_t level = producer.rfind(" -O");
  return producer.find(" -m") != producer.npos &&
         (level == producer.npos || producer.substr(level).starts_with(" -O0"));
}

bool has_views(Dwarf_Die& parent, int depth) {
  Dwarf_Die child;
  if (depth > kDeepest || dwarf_child(&parent, &child) != 0) return false;
  do {
    const int tag = dwarf_tag(&child);
    if (dwarf_hasattr(&child, DW_AT_GNU_locviews) != 0) return true;
    if (tag != DW_TAG_structure_type && tag != DW_TAG_class_type && has_views(child, depth + 1)) return true;
  } while (dwarf_siblingof(&child, &child) == 0);
  return false;
}

}  // namespace

bool DwarfViews::are_in_unit_of(Dwarf_Die& function) {
  Dwarf_Die unit;
  if (dwarf_diecu(&function, &unit, nullptr, nullptr) == nullptr) return false;
  auto [at, fresh] = units_.try_emplace(unit.addr);
  const std::string_view producer = producer_of(unit);
  if (fresh) at->second = is_by_gcc_alone(producer) && (is_unoptimized(producer) || has_views(unit, 0));
  return at->second;
}

}  // namespace sonde
