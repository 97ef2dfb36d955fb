// SPDX-License-Identifier: GPL-3.0-or-later
// Types of a program, from its debug information
//
// libdw parses the format; here its entries become CTypes. An entry gets a number when it is first used. A type that
// contains itself, or an endless chain of names, is cut off.
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <unordered_map>

#include "runtime/process/c_types.h"
#include "runtime/process/debug_file.h"
#include "runtime/process/dwarf_calls.h"
#include "runtime/process/dwarf_classes.h"
#include "runtime/process/dwarf_entry.h"
#include "runtime/process/dwarf_views.h"

namespace sonde {
namespace {

constexpr int kMaxChain = 64;  // qualifiers and specifications in a row
constexpr size_t kMaxMembers = 65536;
constexpr int kMaxNesting = 16;  // namespaces in namespaces
/// What a reference leads to that has no end here: dwz moves types to a file of their own, which may be gone.
constexpr CTypeId kLost = 1;

std::optional<uint64_t> number(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_attr_integrate(&die, name, &attribute) == nullptr || dwarf_formudata(&attribute, &value) != 0)
    return std::nullopt;
  return value;
}

std::optional<int64_t> signed_number(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Sword value = 0;
  if (dwarf_attr_integrate(&die, name, &attribute) == nullptr || dwarf_formsdata(&attribute, &value) != 0)
    return std::nullopt;
  return value;
}

std::string name_of(Dwarf_Die& die) {
  const char* name = dwarf_diename(&die);
  return name != nullptr ? name : "";
}

/// The name of a type. Clang calls all complex numbers "complex"; here they are what gcc calls them.
std::string type_name(Dwarf_Die& die) {
  std::string name = name_of(die);
  if (dwarf_tag(&die) != DW_TAG_base_type || name != "complex") return name;
  const uint64_t size = number(die, DW_AT_byte_size).value_or(0);
  return size == 8 ? "complex float" : size == 16 ? "complex double" : "complex long double";
}

bool is_declaration(Dwarf_Die& die) { return has_flag(die, DW_AT_declaration); }

bool names_type(int tag, CName what) {
  switch (what) {
    case CName::Struct: return tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
    case CName::Union: return tag == DW_TAG_union_type;
    case CName::Enum: return tag == DW_TAG_enumeration_type;
    // In C++ the name of a class is the name of a type. D does not know all basic types: __int128, complex double.
    // Only Go's arrays have names.
    case CName::Typedef:
      return tag == DW_TAG_typedef || tag == DW_TAG_class_type || tag == DW_TAG_base_type || tag == DW_TAG_array_type;
  }
  return false;
}

class DwarfTypes : public CTypes {
 public:
  explicit DwarfTypes(DebugFile file)
      : file_(std::move(file)), dwarf_(file_.dwarf), frames_(file_.module), dies_(kLost + 1) {}

  std::optional<CTypeId> find(CName what, std::string_view name) override {
    std::optional<CTypeId> declared;
    const auto is_not_it = [&](Dwarf_Die& die) {
      if (!names_type(dwarf_tag(&die), what) || type_name(die) != name) return true;
      const bool only_declared = is_declaration(die);
      if (!only_declared || !declared) declared = id_of(die);
      return only_declared;
    };
    if (each_top(dwarf_, is_not_it) && dwarf_getalt(dwarf_) != nullptr) each_top(dwarf_getalt(dwarf_), is_not_it);
    return declared;
  }

  CType type(CTypeId id) override {
    CType out;
    if (id <= kLost || id >= dies_.size()) return out;
    Dwarf_Die die = dies_[id];
    out.name = type_name(die);
    out.size = number(die, DW_AT_byte_size).value_or(0);
    out.alignment = number(die, DW_AT_alignment).value_or(0);
    switch (dwarf_tag(&die)) {
      case DW_TAG_base_type: base(die, out); break;
      case DW_TAG_ptr_to_member_type: member_pointer(die, out); break;
      case DW_TAG_pointer_type:
      case DW_TAG_reference_type:
      case DW_TAG_rvalue_reference_type:
        out.kind = CType::Kind::Pointer;
        out.size = 8;
        out.target = referred(die);
        break;
      case DW_TAG_array_type: array(id, die, out); break;
      case DW_TAG_structure_type:
      case DW_TAG_class_type:
      case DW_TAG_union_type: record(die, out); break;
      case DW_TAG_enumeration_type: enumeration(die, out); break;
      case DW_TAG_typedef:
        out.kind = CType::Kind::Typedef;
        out.target = referred(die);
        break;
      case DW_TAG_unspecified_type:  // nullptr_t
        out.kind = CType::Kind::Pointer;
        out.size = 8;
        break;
      case DW_TAG_subroutine_type:  // only Go's have names; a value of one leads to the code
        out.kind = out.name.empty() ? CType::Kind::Function : CType::Kind::Pointer;
        out.size = out.name.empty() ? 0 : 8;
        break;
      default: break;
    }
    return out;
  }

  std::optional<CFunction> function(std::string_view name) override {
    if (functions_.empty()) index_functions();
    auto at = functions_.find(std::string(name));
    if (at == functions_.end()) return std::nullopt;
    return describe(at->second);
  }

  std::optional<CFunction> function_at(uint64_t address) override {
    if (functions_.empty()) index_functions();
    auto at = entries_.find(address);
    return at != entries_.end() ? std::optional(describe(at->second)) : std::nullopt;
  }

  std::vector<uint64_t> behind_calls(uint64_t address) override {
    if (functions_.empty()) index_functions();
    auto at = entries_.find(address);
    return at != entries_.end() ? calls_.behind(at->second) : std::vector<uint64_t>();
  }

  bool tells_assignments_apart(uint64_t address) override {
    if (functions_.empty()) index_functions();
    auto at = entries_.find(address);
    return at != entries_.end() && views_.are_in_unit_of(at->second);
  }

 private:
  CFunction describe(Dwarf_Die die) {
    CFunction out;
    out.result = referred(die);
    read_origin(die, out);
    std::vector<Dwarf_Die> own = parameters_of(die);
    Dwarf_Attribute attribute;
    Dwarf_Die origin;
    std::vector<Dwarf_Die> ordered;
    if (dwarf_attr(&die, DW_AT_abstract_origin, &attribute) != nullptr &&
        dwarf_formref_die(&attribute, &origin) != nullptr)
      ordered = parameters_of(origin);
    if (ordered.empty()) ordered = own;
    for (Dwarf_Die& parameter : ordered) {
      CEntryPlace place;
      const auto mine = std::ranges::find_if(own, [&](Dwarf_Die& one) { return is_instance(one, parameter); });
      if (mine != own.end()) place = read_entry_place(die, *mine, frames_);
      const int order = mine != own.end() ? static_cast<int>(mine - own.begin()) : -1;
      if (out.language == CLanguage::Go && name_of(parameter) == ".dict") continue;  // not in the source
      const bool result = out.language == CLanguage::Go && has_flag(parameter, DW_AT_variable_parameter);
      std::vector<CParameter>& all = result ? out.results : out.parameters;
      std::string name = name_of(parameter);
      const bool again =
          result && std::ranges::find(all, name, &CParameter::name) != all.end();  // Go 1.19 lists some twice
      if (!again) all.push_back({std::move(name), referred(parameter), std::move(place), order});
    }
    return out;
  }

  static std::vector<Dwarf_Die> parameters_of(Dwarf_Die& function) {
    std::vector<Dwarf_Die> all;
    Dwarf_Die child;
    if (dwarf_child(&function, &child) != 0) return all;
    do {
      if (dwarf_tag(&child) == DW_TAG_formal_parameter && all.size() < kMaxMembers) all.push_back(child);
    } while (dwarf_siblingof(&child, &child) == 0);
    return all;
  }

  /// Whether `mine` is the parameter itself, or that of a copy of its function: gcc lists those in another order.
  static bool is_instance(Dwarf_Die& mine, Dwarf_Die& parameter) {
    Dwarf_Attribute attribute;
    Dwarf_Die origin;
    if (mine.addr == parameter.addr) return true;
    return dwarf_attr(&mine, DW_AT_abstract_origin, &attribute) != nullptr &&
           dwarf_formref_die(&attribute, &origin) != nullptr && origin.addr == parameter.addr;
  }

  /// Calls `visit` for all entries of compilation units and namespaces, until it returns false: then it does, too.
  template <typename Visit>
  static bool each_top(Dwarf* dwarf, Visit visit) {
    Dwarf_CU* unit = nullptr;
    Dwarf_Half version;
    uint8_t type;
    Dwarf_Die top, split;
    while (dwarf_get_units(dwarf, unit, &unit, &version, &type, &top, &split) == 0) {
      if (dwarf_tag(&top) == DW_TAG_skeleton_unit && dwarf_tag(&split) > 0) top = split;
      if (!each_child(top, visit, 0)) return false;
    }
    return true;
  }

  template <typename Visit>
  static bool each_child(Dwarf_Die& parent, Visit& visit, int depth) {
    Dwarf_Die child;
    if (depth > kMaxNesting || dwarf_child(&parent, &child) != 0) return true;
    do {
      if (!visit(child)) return false;
      if (dwarf_tag(&child) == DW_TAG_namespace && !each_child(child, visit, depth + 1)) return false;
    } while (dwarf_siblingof(&child, &child) == 0);
    return true;
  }

  void index_functions() {
    each_top(dwarf_, [&](Dwarf_Die& die) {
      if (dwarf_tag(&die) != DW_TAG_subprogram || is_declaration(die)) return true;
      Dwarf_Attribute attribute;
      const char* linkage = nullptr;
      if (dwarf_attr_integrate(&die, DW_AT_linkage_name, &attribute) != nullptr) linkage = dwarf_formstring(&attribute);
      std::string name = linkage != nullptr ? linkage : name_of(die);
      if (!name.empty()) functions_.emplace(std::move(name), die);
      if (Dwarf_Addr entry = 0; entry_of(die, entry)) entries_.emplace(entry, die);
      return true;
    });
  }

  CTypeId id_of(Dwarf_Die& declared) {
    Dwarf_Die die = declared;
    Dwarf_Attribute attribute;
    if (dwarf_attr(&declared, DW_AT_signature, &attribute) != nullptr)  // it is in a unit of its own
      (void)dwarf_formref_die(&attribute, &die);
    auto [at, fresh] = ids_.emplace(die.addr, static_cast<CTypeId>(dies_.size()));
    if (fresh) dies_.push_back(die);
    return at->second;
  }

  /// The type that DW_AT_type refers to, without qualifiers.
  CTypeId referred(Dwarf_Die& from) {
    Dwarf_Die die = from;
    for (int i = 0; i < kMaxChain; ++i) {
      Dwarf_Attribute attribute;
      Dwarf_Die next;
      if (dwarf_attr_integrate(&die, DW_AT_type, &attribute) == nullptr) return kCVoid;
      if (dwarf_formref_die(&attribute, &next) == nullptr) return kLost;
      die = next;
      switch (dwarf_tag(&die)) {
        case DW_TAG_const_type:
        case DW_TAG_volatile_type:
        case DW_TAG_restrict_type:
        case DW_TAG_atomic_type: continue;
        default: return id_of(die);
      }
    }
    return kCVoid;
  }

  static bool is_signed(uint64_t encoding) { return encoding == DW_ATE_signed || encoding == DW_ATE_signed_char; }

  static void base(Dwarf_Die& die, CType& out) {
    const uint64_t encoding = number(die, DW_AT_encoding).value_or(0);
    const bool real =
        encoding == DW_ATE_float || encoding == DW_ATE_complex_float || encoding == DW_ATE_imaginary_float;
    out.kind = real ? CType::Kind::Float : CType::Kind::Integer;
    out.is_signed = is_signed(encoding);
    out.complex = encoding == DW_ATE_complex_float || encoding == DW_ATE_lo_user;  // gcc's complex int
  }

  /// To data: an offset. To a function: its address or number, and what is added to `this`.
  void member_pointer(Dwarf_Die& die, CType& out) {
    out.target = referred(die);
    const bool function = type(out.target).kind == CType::Kind::Function;
    out.kind = function ? CType::Kind::Integer : CType::Kind::Pointer;
    out.size = function ? 16 : 8;
    if (function) out.name = kMemberPointer;
  }

  /// One DIE has all dimensions of an array. Makes one CType for each; inner dimensions get numbers of their own.
  void array(CTypeId id, Dwarf_Die& die, CType& out) {
    out.kind = CType::Kind::Array;
    std::vector<uint64_t> counts = dimensions(die);
    const uint32_t level = levels_.contains(id) ? levels_[id] : 0;
    out.count = level < counts.size() ? counts[level] : 0;
    out.flexible = level < counts.size() ? counts[level] == 0 && is_flexible(die) : false;
    out.vector = dwarf_hasattr_integrate(&die, DW_AT_GNU_vector) != 0;
    out.alignment = 0;
    out.size = 0;
    if (level + 1 >= counts.size()) {
      out.target = referred(die);
      return;
    }
    auto [at, fresh] = inner_.emplace(id, static_cast<CTypeId>(dies_.size()));
    if (fresh) {
      dies_.push_back(die);
      levels_[at->second] = level + 1;
    }
    out.target = at->second;
  }

  /// Whether a dimension has no bound at all: `d[]`, not `d[0]`.
  static bool is_flexible(Dwarf_Die& die) {
    Dwarf_Die child;
    if (dwarf_child(&die, &child) != 0) return true;
    do {
      if (dwarf_tag(&child) != DW_TAG_subrange_type) continue;
      if (!number(child, DW_AT_count) && !signed_number(child, DW_AT_upper_bound)) return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
  }

  static std::vector<uint64_t> dimensions(Dwarf_Die& die) {
    std::vector<uint64_t> counts;
    Dwarf_Die child;
    if (dwarf_child(&die, &child) != 0) return counts;
    do {
      if (dwarf_tag(&child) != DW_TAG_subrange_type || counts.size() == kMaxChain) continue;
      auto count = number(child, DW_AT_count);
      auto last = count ? std::nullopt : signed_number(child, DW_AT_upper_bound);
      counts.push_back(count ? *count : last && *last >= 0 ? static_cast<uint64_t>(*last) + 1 : 0);
    } while (dwarf_siblingof(&child, &child) == 0);
    return counts;
  }

  void record(Dwarf_Die& die, CType& out) {
    out.kind = dwarf_tag(&die) == DW_TAG_union_type ? CType::Kind::Union : CType::Kind::Struct;
    out.complete = !is_declaration(die);
    out.passed = passing_.of(die);
    Dwarf_Die child;
    if (dwarf_child(&die, &child) != 0) return;
    do {
      const int tag = dwarf_tag(&child);
      if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || out.members.size() == kMaxMembers) continue;
      if (is_declaration(child) || number(child, DW_AT_external)) continue;  // a static one
      add_member(child, tag == DW_TAG_inheritance, out);
    } while (dwarf_siblingof(&child, &child) == 0);
  }

  void add_member(Dwarf_Die& die, bool inherited, CType& out) {
    CMember member;
    if (!inherited) member.name = name_of(die);
    member.type = referred(die);
    member.bit_offset = 8 * number(die, DW_AT_data_member_location).value_or(0);
    member.bit_width = static_cast<uint32_t>(number(die, DW_AT_bit_size).value_or(0));
    member.alignment = number(die, DW_AT_alignment).value_or(0);
    if (member.bit_width > 64) return;
    if (auto bits = number(die, DW_AT_data_bit_offset)) {
      member.bit_offset = *bits;
    } else if (auto from_top = number(die, DW_AT_bit_offset); from_top && member.bit_width != 0) {  // DWARF 2 and 3
      const uint64_t storage = 8 * number(die, DW_AT_byte_size).value_or(type(member.type).size);
      if (storage >= *from_top + member.bit_width) member.bit_offset += storage - *from_top - member.bit_width;
    }
    out.members.push_back(std::move(member));
  }

  /// DWARF has the encoding of an enum's values, or the type that they are kept in; old DWARF has neither.
  bool has_signed_values(Dwarf_Die& die) {
    if (const auto encoding = number(die, DW_AT_encoding)) return is_signed(*encoding);
    CType kept = type(referred(die));
    for (int i = 0; i < kMaxChain && kept.kind == CType::Kind::Typedef; ++i) kept = type(kept.target);
    return kept.kind != CType::Kind::Integer || kept.is_signed;
  }

  /// Most forms of an enumerator's value do not say whether it has a sign: its type does.
  void enumeration(Dwarf_Die& die, CType& out) {
    out.kind = CType::Kind::Enum;
    out.complete = !is_declaration(die);
    out.is_signed = has_signed_values(die);
    Dwarf_Die child;
    if (dwarf_child(&die, &child) != 0) return;
    do {
      if (dwarf_tag(&child) != DW_TAG_enumerator || out.enumerators.size() == kMaxMembers) continue;
      const int64_t value = out.is_signed ? signed_number(child, DW_AT_const_value).value_or(0)
                                          : static_cast<int64_t>(number(child, DW_AT_const_value).value_or(0));
      out.enumerators.push_back({name_of(child), value});
    } while (dwarf_siblingof(&child, &child) == 0);
  }

  DebugFile file_;
  Dwarf* dwarf_;
  DwarfFrames frames_;
  std::vector<Dwarf_Die> dies_;  ///< by id; the first two have none
  std::unordered_map<void*, CTypeId> ids_;
  std::unordered_map<CTypeId, CTypeId> inner_;    ///< arrays of arrays: the next dimension
  std::unordered_map<CTypeId, uint32_t> levels_;  ///< which dimension an inner one is
  std::unordered_map<std::string, Dwarf_Die> functions_;
  ClassPassing passing_;
  DwarfCalls calls_;
  DwarfViews views_;
  std::unordered_map<uint64_t, Dwarf_Die> entries_;  ///< functions by the address of their first instruction
};

}  // namespace

Result<std::unique_ptr<CTypes>> read_dwarf(const std::string& path) {
  auto file = open_debug_file(path);
  if (!file) return std::move(file).error();
  return std::unique_ptr<CTypes>(std::make_unique<DwarfTypes>(std::move(*file)));
}

}  // namespace sonde
