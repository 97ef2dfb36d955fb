// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/pid/sites.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <deque>

#include "providers/pid/field.h"
#include "providers/pid/instructions.h"

namespace sonde::pid {
namespace {

/// The name field, taken apart.
struct WantedNames {
  Field glob;
  bool entry, returns;
  bool offsets;  ///< instructions: all that `glob` matches, or the one at `offset`
  bool one_offset = false;
  uint64_t offset = 0;

  explicit WantedNames(std::string_view name) : glob(name) {
    entry = glob.matches("entry");
    returns = glob.matches("return");
    offsets = !glob.is_exact();
    if (!glob.is_exact() || entry || returns) return;
    const std::string& text = glob.literal();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), offset, 16);
    one_offset = offsets = error == std::errc() && end == text.data() + text.size();
  }

  bool valid() const { return entry || returns || offsets; }
};

std::string hex(uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(value));
  return text;
}

/// A part of a function that the compiler moved away: jumped to, never called.
bool is_cold_part(std::string_view name) { return name.ends_with(".cold") || name.find(".cold.") != name.npos; }

std::vector<const ElfFunction*> select_functions(const ElfFile& file, const Field& glob) {
  std::vector<const ElfFunction*> chosen;
  for (const ElfFunction& function : file.functions()) {
    if (!glob.matches(function.name)) continue;
    // Names of one address stand together, the best first.
    if (!chosen.empty() && chosen.back()->address == function.address) continue;
    if (!glob.is_exact() && is_cold_part(function.name)) continue;
    chosen.push_back(&function);
  }
  return chosen;
}

class Finder {
 public:
  Finder(const dtrace_probedesc_t& spec, IndirectFunctions& indirect, ElfCache& cache)
      : spec_(spec), function_(spec.dtpd_func), names_(spec.dtpd_name), indirect_(indirect), cache_(cache) {}

  Found run(const std::vector<Object>& objects) {
    if (!names_.valid()) {
      refuse("D_PROC_NAME", "'" + std::string(spec_.dtpd_name) + "' is an invalid probe name");
    } else if (function_.is_exact() && function_.literal() == "-") {
      find_absolute(objects);
    } else {
      find_in_functions(objects);
    }
    if (!found_.refusal.tag.empty()) found_.sites.clear();
    return std::move(found_);
  }

 private:
  void refuse(const char* tag, std::string message) {
    if (found_.refusal.tag.empty()) found_.refusal = {tag, std::move(message)};
  }

  void find_in_functions(const std::vector<Object>& objects) {
    bool any_function = false;
    std::string searched;  // the first one's name
    bool any_symbol = false;
    for (const Object& object : select_objects(objects, spec_.dtpd_mod)) {
      auto file = cache_.open(object.path);
      if (!file) continue;
      if (searched.empty()) searched = object.name;
      any_symbol |= !(*file)->functions().empty() || !(*file)->indirect().empty();
      std::vector<const ElfFunction*> chosen = select_functions(**file, function_);
      add_indirect(object, **file, chosen);
      for (const ElfFunction* function : chosen) {
        any_function = true;
        add_function(object, **file, *function);
        if (!found_.refusal.tag.empty()) return;
      }
    }
    if (searched.empty() || any_function || !found_.sites.empty()) return;
    const std::string why = any_symbol ? "" : no_symbols(searched);
    if (function_.is_exact()) {
      const std::string module = spec_.dtpd_mod;
      const std::string where = module.empty() ? "any module" : "module '" + module + "'";
      const bool may_come = module.empty() && why.empty();
      const char* unknown = "; it is an indirect function, and which code it runs cannot be told";
      refuse("D_PROC_FUNC", "failed to lookup '" + function_.literal() + "' in " + where + why +
                                (unresolved_ ? unknown : "") +
                                (may_come ? "; with -Z, those that are opened later are waited for" : ""));
    } else if (!any_symbol) {
      refuse("D_PDESC_ZERO", "probe description " + std::string(spec_.dtpd_provider) + ":" + spec_.dtpd_mod + ":" +
                                 spec_.dtpd_func + ":" + spec_.dtpd_name + " does not match any probes" + why);
    }
  }

  /// Indirect functions are probed where they lead to. Of a glob, the name that people write wins over that of the implementation.
  void add_indirect(const Object& object, const ElfFile& file, std::vector<const ElfFunction*>& chosen) {
    for (const ElfFunction& resolver : file.indirect()) {
      if (!function_.matches(resolver.name)) continue;
      const std::vector<Implementation> found = indirect_.implementations(file, resolver);
      unresolved_ |= found.empty();
      for (const Implementation& one : found) add_implementation(object, file, resolver, one, chosen);
    }
    std::ranges::stable_sort(chosen, {}, &ElfFunction::address);
  }

  void add_implementation(const Object& object, const ElfFile& file, const ElfFunction& resolver,
                          const Implementation& one, std::vector<const ElfFunction*>& chosen) {
    const auto other = one.path == file.path() ? nullptr : object_file(one.path);
    const ElfFile& there = other ? *other : file;
    uint64_t address = 0;
    if (!there.address_of(one.offset, address)) return;
    const ElfFunction* known = there.at(address);
    const bool begins = known != nullptr && known->address == address;
    ElfFunction made = begins ? *known : ElfFunction{.address = address, .offset = one.offset};
    made.name = resolver.name;
    made.binding = resolver.binding;
    if (other) return add_function({one.path, object.name}, *other, made);
    const auto same = function_.is_exact() ? chosen.end() : std::ranges::find(chosen, address, &ElfFunction::address);
    if (same != chosen.end() && !better_name(made, **same)) return;
    made_.push_back(std::move(made));
    if (same != chosen.end())
      *same = &made_.back();
    else
      chosen.push_back(&made_.back());
  }

  std::shared_ptr<const ElfFile> object_file(const std::string& path) {
    if (path == kVdso) return vdso_of_this_machine();
    auto file = cache_.open(path);
    return file ? *file : nullptr;
  }

  static std::string no_symbols(const std::string& object) {
    return ": '" + object +
           "' is stripped of its symbols; trace one that is not, or an address as pid$target:a.out:-:ADDRESS";
  }

  void add_function(const Object& object, const ElfFile& file, const ElfFunction& function) {
    if (names_.entry) add(SONDE_TAP_USER_ENTRY, object, function, "entry", 0);
    if (names_.returns) {
      const Returns returns = returns_of(file.code(function));
      if (returns.any) add(SONDE_TAP_USER_RETURN, object, function, "return", returns.only.value_or(0));
    }
    if (names_.one_offset) add_one_offset(object, file, function);
    if (names_.offsets && !names_.one_offset) add_all_offsets(object, file, function);
  }

  void add_all_offsets(const Object& object, const ElfFile& file, const ElfFunction& function) {
    for (uint32_t offset : instruction_offsets(file.code(function))) {
      const std::string name = hex(offset);
      if (names_.glob.matches(name)) add(SONDE_TAP_USER_OFFSET, object, function, name, offset);
      if (found_.sites.size() <= kMaxOffsetSites) continue;
      return refuse("D_PROC_CREATEFAIL", "the description names more than " + std::to_string(kMaxOffsetSites) +
                                             " instructions: name the function, or entry and return");
    }
  }

  /// Of functions that a glob matched only those that have an instruction there.
  void add_one_offset(const Object& object, const ElfFile& file, const ElfFunction& function) {
    const std::string text = "offset 0x" + hex(names_.offset);
    if (names_.offset >= function.size) {
      if (function_.is_exact()) refuse("D_PROC_OFF", text + " outside of function '" + function.name + "'");
      return;
    }
    const std::vector<uint32_t> offsets = instruction_offsets(file.code(function));
    if (std::ranges::binary_search(offsets, names_.offset)) {
      add(SONDE_TAP_USER_OFFSET, object, function, names_.glob.literal(), names_.offset);
    } else if (function_.is_exact()) {
      refuse("D_PROC_ALIGN", text + " is not at the beginning of an instruction of function '" + function.name + "'");
    }
  }

  /// pid1:a.out:-:401136, an address as the program was linked.
  void find_absolute(const std::vector<Object>& objects) {
    const auto program = std::ranges::find(objects, true, &Object::executable);
    const bool is_program = program != objects.end() && (std::string_view(spec_.dtpd_mod) == "a.out" ||
                                                         std::string_view(spec_.dtpd_mod) == program->name);
    if (!is_program) return refuse("D_PROC_LIB", "only the a.out module is valid with the '-' function");
    if (!names_.one_offset) {
      return refuse("D_PROC_NAME", "'" + std::string(spec_.dtpd_name) + "' is an invalid probe name");
    }
    auto file = cache_.open(program->path);
    uint64_t offset = 0;
    if (!file || !(*file)->offset_of(names_.offset, offset)) {
      return refuse("D_PROC_OFF",
                    "address 0x" + hex(names_.offset) + " outside of the code of '" + program->name + "'");
    }
    const ElfFunction* function = (*file)->at(names_.offset);
    if (function != nullptr) {
      const std::vector<uint32_t> offsets = instruction_offsets((*file)->code(*function));
      if (!std::ranges::binary_search(offsets, names_.offset - function->address)) {
        return refuse("D_PROC_ALIGN", "address 0x" + hex(names_.offset) + " is not at the beginning of an instruction");
      }
    }
    const uint64_t entry = function == nullptr ? offset : function->offset;
    found_.sites.push_back(
        {SONDE_TAP_USER_OFFSET, program->name, "-", names_.glob.literal(), program->path, offset, entry});
  }

  void add(sonde_tap_kind kind, const Object& object, const ElfFunction& function, std::string name, uint64_t offset) {
    found_.sites.push_back(
        {kind, object.name, function.name, std::move(name), object.path, function.offset + offset, function.offset});
  }

  const dtrace_probedesc_t& spec_;
  Field function_;
  WantedNames names_;
  IndirectFunctions& indirect_;
  ElfCache& cache_;
  std::deque<ElfFunction> made_;  ///< indirect functions, where they lead to
  bool unresolved_ = false;       ///< one leads nowhere that is known
  Found found_;
};

}  // namespace

Found find_sites(const dtrace_probedesc_t& spec, const std::vector<Object>& objects, IndirectFunctions& indirect,
                 ElfCache& cache) {
  return Finder(spec, indirect, cache).run(objects);
}

}  // namespace sonde::pid
