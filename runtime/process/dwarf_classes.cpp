// SPDX-License-Identifier: GPL-3.0-or-later
// Clang says it (DW_AT_calling_convention of the type); for g++ it follows from what is declared. By the Itanium ABI a
// class is passed by reference if it has a copy or move constructor or a destructor that is not trivial, or if all its
// copy and move constructors are deleted. Such a function is not trivial if
//
//   the program has written it        a declaration that is neither artificial nor defaulted inside the class
//   the class has a virtual function  or a virtual base
//   that of a base or member is not
#include "runtime/process/dwarf_classes.h"

#include <dwarf.h>

#include <cstring>
#include <optional>
#include <string>

#include "runtime/process/dwarf_entry.h"

namespace sonde {
namespace {

using Passed = CType::Passed;
constexpr int kDeepestClass = 32;

uint64_t own_number(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  const bool found = dwarf_attr(&die, name, &attribute) != nullptr && dwarf_formudata(&attribute, &value) == 0;
  return found ? value : 0;
}

/// The type of `from`, below the kinds of entries that `skip` names.
template <typename Skip>
std::optional<Dwarf_Die> type_below(Dwarf_Die& from, Skip skip) {
  Dwarf_Die at = from;
  for (int i = 0; i < kDeepestClass; i++) {
    Dwarf_Attribute attribute;
    Dwarf_Die next;
    if (dwarf_attr(&at, DW_AT_type, &attribute) == nullptr || dwarf_formref_die(&attribute, &next) == nullptr)
      return std::nullopt;
    at = next;
    if (dwarf_attr(&at, DW_AT_signature, &attribute) != nullptr && dwarf_formref_die(&attribute, &next) != nullptr)
      at = next;
    if (!skip(dwarf_tag(&at))) return at;
  }
  return std::nullopt;
}

bool is_name(int tag) { return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type; }
bool is_record(int tag) { return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type; }

enum class Member : uint8_t { Other, Copies, MayCopy, Destroys };

/// What a member function is for the class: whether it constructs an object from another one, or destroys it.
Member role_of(Dwarf_Die& function, Dwarf_Die& of) {
  const char *name = dwarf_diename(&function), *own = dwarf_diename(&of);
  if (name == nullptr) return Member::Other;
  if (name[0] == '~') return Member::Destroys;
  if (own == nullptr || std::string(own).substr(0, std::string(own).find('<')) != name) return Member::Other;
  int parameters = 0;
  bool from_same = false;
  Dwarf_Die child;
  if (dwarf_child(&function, &child) != 0) return Member::Other;
  do {
    if (dwarf_tag(&child) != DW_TAG_formal_parameter || has_flag(child, DW_AT_artificial)) continue;
    auto to = type_below(child, is_name);
    const bool reference =
        to && (dwarf_tag(&*to) == DW_TAG_reference_type || dwarf_tag(&*to) == DW_TAG_rvalue_reference_type);
    auto target = reference ? type_below(*to, is_name) : std::nullopt;
    if (parameters++ == 0) from_same = target && target->addr == of.addr;
  } while (dwarf_siblingof(&child, &child) == 0);
  if (!from_same) return Member::Other;
  return parameters == 1 ? Member::Copies : Member::MayCopy;  // the others may have defaults
}

}  // namespace

Passed ClassPassing::of(Dwarf_Die& die, int depth) {
  auto [at, fresh] = known_.emplace(die.addr, Passed::Unsaid);
  if (!fresh) return at->second;
  const Passed found = depth > kDeepestClass ? Passed::Unsaid : judge(die, depth);
  return known_[die.addr] = found;
}

/// Of a base or a member.
Passed ClassPassing::of_part(Dwarf_Die& part, int depth) {
  auto type = type_below(part, [](int tag) { return is_name(tag) || tag == DW_TAG_array_type; });
  return type && is_record(dwarf_tag(&*type)) ? of(*type, depth + 1) : Passed::ByValue;
}

Passed ClassPassing::judge(Dwarf_Die& die, int depth) {
  const uint64_t convention = own_number(die, DW_AT_calling_convention);
  if (convention == DW_CC_pass_by_value) return Passed::ByValue;
  if (convention == DW_CC_pass_by_reference || dwarf_hasattr(&die, DW_AT_containing_type) != 0)
    return Passed::ByReference;
  if (has_flag(die, DW_AT_declaration)) return Passed::Unsaid;
  bool deleted = false, usable = false, open = false;
  Dwarf_Die child;
  if (dwarf_child(&die, &child) != 0) return Passed::ByValue;
  do {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_inheritance && own_number(child, DW_AT_virtuality) != 0) return Passed::ByReference;
    const bool part = tag == DW_TAG_inheritance ||
                      (tag == DW_TAG_member && !has_flag(child, DW_AT_external) && !has_flag(child, DW_AT_declaration));
    if (part) {
      const Passed passed = of_part(child, depth);
      if (passed == Passed::ByReference) return passed;
      open = open || passed == Passed::Unsaid;
    }
    if (tag != DW_TAG_subprogram) continue;
    if (own_number(child, DW_AT_virtuality) != 0) return Passed::ByReference;
    const Member role = role_of(child, die);
    if (role == Member::Other) continue;
    const bool removed = has_flag(child, DW_AT_deleted);
    const bool written =
        !removed && !has_flag(child, DW_AT_artificial) && own_number(child, DW_AT_defaulted) != DW_DEFAULTED_in_class;
    if (written && role != Member::MayCopy) return Passed::ByReference;
    open = open || role == Member::MayCopy;
    if (role == Member::Copies) (removed ? deleted : usable) = true;
  } while (dwarf_siblingof(&child, &child) == 0);
  if (deleted && !usable) return Passed::ByReference;
  return open ? Passed::Unsaid : Passed::ByValue;
}

}  // namespace sonde
