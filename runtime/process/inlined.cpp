// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/inlined.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <memory>

#include "runtime/process/debug_file.h"

namespace sonde {
namespace {

constexpr int kMaxDepth = 64;  // of nested scopes

class Search {
 public:
  explicit Search(const std::function<bool(const std::string&)>& is) : is_(is) {}

  void unit(Dwarf_Die& die) {
    files_ = nullptr;
    if (dwarf_getsrcfiles(&die, &files_, nullptr) != 0) files_ = nullptr;
    children(die, 0);
  }
  std::optional<Inlined> result() { return found_.places > 0 ? std::optional(found_) : std::nullopt; }

 private:
  void children(Dwarf_Die& of, int depth) {
    Dwarf_Die die;
    if (depth > kMaxDepth || dwarf_child(&of, &die) != 0) return;
    do {
      if (dwarf_tag(&die) == DW_TAG_inlined_subroutine) look(die);
      if (has_code(dwarf_tag(&die))) children(die, depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
  }

  static bool has_code(int tag) {
    return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
           tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
  }

  void look(Dwarf_Die& die) {
    Dwarf_Attribute attribute;
    const char* name = dwarf_diename(&die);
    const char* symbol =
        dwarf_attr_integrate(&die, DW_AT_linkage_name, &attribute) != nullptr ? dwarf_formstring(&attribute) : nullptr;
    if (!(name != nullptr && is_(name)) && !(symbol != nullptr && is_(symbol))) return;
    if (found_.places++ > 0) return;
    Dwarf_Word file = 0, line = 0;
    if (dwarf_formudata(dwarf_attr(&die, DW_AT_call_line, &attribute), &line) == 0)
      found_.line = static_cast<int>(line);
    if (files_ == nullptr || dwarf_formudata(dwarf_attr(&die, DW_AT_call_file, &attribute), &file) != 0) return;
    if (const char* path = dwarf_filesrc(files_, file, nullptr, nullptr)) found_.file = path;
  }

  const std::function<bool(const std::string&)>& is_;
  Dwarf_Files* files_ = nullptr;
  Inlined found_;
};

}  // namespace

std::optional<Inlined> find_inlined(const std::string& path, const std::function<bool(const std::string& name)>& is) {
  auto opened = open_debug_file(path);
  if (!opened) return std::nullopt;
  Search search(is);
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  while (dwarf_get_units(opened->dwarf, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) search.unit(die);
  return search.result();
}

}  // namespace sonde
