// SPDX-License-Identifier: GPL-3.0-or-later
// A description that selects nothing must be refused with DTrace's message and a useful reason: the object is stripped,
// or cannot be read, or the function is indirect and its code is not known. So the search notes on its way why it found
// nothing.
//
// Invariant: the first refusal counts, and a refused description has no sites at all.
//
// A description is matched again whenever a library is mapped. is_known_ is asked before a function's code is read, so
// for functions that have probes only their names are compared.
#include "providers/pid/sites.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "providers/pid/field.h"
#include "providers/pid/function_field.h"
#include "runtime/base/hex.h"
#include "runtime/base/suggest.h"
#include "runtime/base/unique_fd.h"
#include "runtime/code/instructions.h"
#include "runtime/process/arch.h"
#include "runtime/process/demangle.h"
#include "runtime/process/inlined.h"

namespace sonde::pid {
namespace {

constexpr const char* kNames = "a probe's name is entry, return, or the offset of an instruction in hexadecimal, as 1c";

/// The parsed name field.
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

/// A part of a function that the compiler moved away: jumped to, never called.
bool is_cold_part(std::string_view name) { return name.ends_with(".cold") || name.find(".cold.") != name.npos; }

std::vector<const ElfFunction*> select_functions(const ElfFile& file, const FunctionField& glob) {
  std::vector<const ElfFunction*> chosen;
  const ElfFunction* best = nullptr;  // names of one address are adjacent, the best one first
  for (const ElfFunction& function : file.functions()) {
    if (best == nullptr || best->address != function.address) best = &function;
    if (!chosen.empty() && chosen.back() == best) continue;
    if (!glob.matches(function.name)) continue;
    if (!glob.is_exact() && is_cold_part(function.name)) continue;
    chosen.push_back(best);
  }
  return chosen;
}

class Finder {
 public:
  Finder(const dtrace_probedesc_t& spec, IndirectFunctions& indirect, RunTimeCode& compiled, Files& files,
         const IsKnown& is_known)
      : spec_(spec),
        function_(spec.dtpd_func),
        names_(spec.dtpd_name),
        indirect_(indirect),
        compiled_(compiled),
        files_(files),
        is_known_(is_known) {}

  Found run(const std::vector<Object>& objects) {
    if (!names_.valid()) {
      refuse("D_PROC_NAME", "'" + std::string(spec_.dtpd_name) + "' is an invalid probe name\n" + kNames);
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
    std::string searched, unread;  // name of the first object; the error of the first that cannot be opened
    std::string stripped;          // name of the first of which only exported functions are known
    bool any_symbol = false;
    const Object* bare = nullptr;  // the program itself, if its own functions have no names
    for (const Object* object : select_objects(objects, spec_.dtpd_mod)) {
      if (!may_probe(*object)) continue;
      if (object->compiled) {
        if (searched.empty()) searched = object->name;
        any_symbol = true;
        any_function |= find_compiled(*object);
        continue;
      }
      Files::File* file = files_.open(object->path);
      if (file == nullptr) {
        const std::string why = why_unread(*object);
        if (unread.empty()) unread = why;
        continue;
      }
      if (searched.empty()) searched = object->name;
      const bool has_symbols = !file->elf->functions().empty() || !file->elf->indirect().empty();
      any_symbol |= has_symbols;
      if (object->executable && (!has_symbols || file->elf->exported_only())) bare = object;
      if (stripped.empty() && file->elf->exported_only()) stripped = object->name;
      std::vector<const ElfFunction*> chosen = select_functions(*file->elf, function_);
      add_indirect(*object, *file, chosen);
      for (const ElfFunction* function : chosen) {
        any_function = true;
        add_function(*object, *file, *function);
        if (!found_.refusal.tag.empty()) return;
      }
    }
    if ((searched.empty() && unread.empty()) || any_function || !found_.sites.empty() || found_.known > 0) return;
    const std::string why = any_symbol ? "" : searched.empty() ? unread : no_symbols(searched);
    const char* unknown =
        unresolved_ ? "; it is an indirect function, and Sonde cannot find out which code it runs" : "";
    if (function_.is_exact() && Field(spec_.dtpd_mod).is_exact()) {
      const std::string near = unresolved_ ? "" : where_else(objects);
      const bool hidden = any_symbol && !unresolved_ && near.empty() && !stripped.empty();
      refuse("D_PROC_FUNC", "failed to lookup '" + function_.literal() + "' in module '" + spec_.dtpd_mod + "'" + why +
                                unknown + near + (hidden ? exported_only(stripped) : ""));
    } else if (!any_symbol || unresolved_) {
      refuse("D_PDESC_ZERO", "probe description " + std::string(spec_.dtpd_provider) + ":" + spec_.dtpd_mod + ":" +
                                 spec_.dtpd_func + ":" + spec_.dtpd_name + " does not match any probes" + why +
                                 unknown);
    } else if (function_.is_exact()) {
      found_.near = near_function(objects);
      if (found_.near.empty() && bare != nullptr)
        found_.near = "\nthe functions of the program have no names: '" + bare->name + "' is stripped of its symbols";
    }
  }

  /// Why an object that can be read has no such function, or what the user may have meant. A line below the first is a
  /// hint.
  std::string where_else(const std::vector<Object>& objects) {
    const auto named = [this](const std::string& name) { return function_.matches(name); };
    for (const Object* object : select_objects(objects, spec_.dtpd_mod)) {
      const auto inlined = object->compiled || !may_probe(*object) ? std::nullopt : find_inlined(object->path, named);
      if (!inlined) continue;
      const size_t others = inlined->places - 1;
      return ": the compiler has inlined it, at " + inlined->file + ":" + std::to_string(inlined->line) +
             (others == 0 ? ""
                          : " and in " + std::to_string(others) + (others == 1 ? " other place" : " other places"));
    }
    for (const Object& object : objects) {
      Files::File* file = object.compiled || object.path == kVdso ? nullptr : files_.open(object.path);
      if (file == nullptr || (select_functions(*file->elf, function_).empty() && !is_indirect(*file->elf))) continue;
      return "\n'" + object.name + "' has it: " + spec_.dtpd_provider + ":" + object.name + ":" + function_.literal() +
             ":" + spec_.dtpd_name;
    }
    return near_function(objects);
  }

  bool is_indirect(const ElfFile& file) const {
    return std::ranges::any_of(file.indirect(), [this](const ElfFunction& one) { return function_.matches(one.name); });
  }

  /// A line that suggests the function with the nearest name; empty: none is near.
  std::string near_function(const std::vector<Object>& objects) {
    Suggestion suggestion(function_.literal());
    for (const Object* object : select_objects(objects, spec_.dtpd_mod)) {
      Files::File* file = object->compiled || !may_probe(*object) ? nullptr : files_.open(object->path);
      if (file == nullptr) continue;
      for (const ElfFunction& function : file->elf->functions()) suggestion.offer(function.name);
    }
    const std::string hint = suggestion.hint();
    return hint.empty() ? hint : "\n" + hint;
  }

  /// The vdso and compiled code are not in files. If they cannot be probed, only a description that names them is
  /// refused.
  bool may_probe(const Object& object) {
    if ((object.path != kVdso && !object.compiled) || sonde_tap_memory_possible()) return true;
    const std::string who = sonde_sources_with(SONDE_TAP_USER_ENTRY, 1);
    if (spec_.dtpd_mod[0] != '\0' && std::string_view(spec_.dtpd_mod) != "*")
      refuse("D_PROC_CREATEFAIL",
             std::string(object.compiled ? "code that was compiled at run time is in" : "the vdso is") +
                 " no file, so only the " + who + " source can probe it: -x source=" + who);
    return false;
  }

  /// Compiled functions have only entry probes: only their runtime knows which of the following bytes are code. Returns
  /// whether one matches.
  bool find_compiled(const Object& object) {
    bool any = false;
    for (const auto& [address, function] : compiled_.functions()) {
      if (!function_.matches(function.name)) continue;
      const auto text = compiled_.text_of(function);
      if (!text) continue;
      any = true;
      const ElfFunction* kept = compiled_.keep(function);
      if (!names_.entry || skip(object, *kept, "entry")) continue;
      add_entry(object, *kept, {});
      found_.sites.back().text = *text;
    }
    if (any && !names_.entry) refuse("D_PROC_CREATEFAIL", "code that was compiled at run time has entry probes only");
    return any;
  }

  /// An indirect function is probed at its implementation. If a glob matches both names, the indirect one may be
  /// preferred (better_name).
  void add_indirect(const Object& object, Files::File& file, std::vector<const ElfFunction*>& chosen) {
    for (const ElfFunction& resolver : file.elf->indirect()) {
      if (!function_.matches(resolver.name)) continue;
      const std::vector<Implementation> found = indirect_.implementations(*file.elf, resolver);
      unresolved_ |= found.empty();
      for (const Implementation& one : found) add_implementation(object, file, resolver, one, chosen);
      if (found.size() > 1) find_handovers(file, resolver.name, chosen);
    }
    std::ranges::stable_sort(chosen, {}, &ElfFunction::address);
  }

  void add_implementation(const Object& object, Files::File& file, const ElfFunction& resolver,
                          const Implementation& one, std::vector<const ElfFunction*>& chosen) {
    const bool elsewhere = one.path != object.path;
    Files::File* there = elsewhere ? files_.open(one.path) : &file;
    uint64_t address = 0;
    if (there == nullptr || !there->elf->address_of(one.offset, address)) return;
    const ElfFunction* known = there->elf->at(address);
    const bool begins = known != nullptr && known->address == address;
    ElfFunction made = begins ? *known : ElfFunction{.address = address, .offset = one.offset};
    made.name = resolver.name;
    made.binding = resolver.binding;
    if (elsewhere) {
      const Object* place = files_.keep(Object{.path = one.path, .name = object.name, .module = object.module});
      if (may_probe(*place)) add_function(*place, *there, *files_.keep(*there, made));
      return;
    }
    const auto same = function_.is_exact() ? chosen.end() : std::ranges::find(chosen, address, &ElfFunction::address);
    if (same == chosen.end())
      chosen.push_back(files_.keep(file, made));
    else if (better_name(made, **same))
      *same = files_.keep(file, made);
  }

  /// One implementation of `name` may end with a jump to another. Its arrival there is not a call.
  void find_handovers(Files::File& file, const std::string& name, const std::vector<const ElfFunction*>& chosen) {
    for (const ElfFunction* from : chosen) {
      if (from->name != name) continue;
      for (CodePlace place : file.functions.read(*from).leaves) {
        if (place.leave.how != SONDE_LEAVE_JUMP && place.leave.how != SONDE_LEAVE_JUMP_IF) continue;
        const std::vector<Instruction> jump = decode(file.elf->code(place.offset, place.leave.length));
        const uint64_t at = from->address + (place.offset - from->offset);
        const uint64_t to = jump.empty() || !jump[0].has_target ? at : at + static_cast<uint64_t>(jump[0].target);
        const auto same = [&](const ElfFunction* other) { return other->address == to && other->name == name; };
        if (std::ranges::none_of(chosen, same)) continue;
        place.leave.how = place.leave.how == SONDE_LEAVE_JUMP ? SONDE_LEAVE_REENTER : SONDE_LEAVE_REENTER_IF;
        handovers_[{&file, to}].push_back(place);
      }
    }
  }

  static std::string why_unread(const Object& object) {
    if (object.path.empty())
      return ": '" + object.name + "' cannot be read: it is on a file system whose server does not answer";
    const UniqueFd file(open(object.path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file) return ": '" + object.name + "' is no ELF file for " + machine::kName + " that can be read";
    const int error = errno;
    tell_if_descriptors_lack(error);
    const std::string why = ": '" + object.name + "' cannot be read: " + std::strerror(error);
    const bool replaced = object.path.find("/map_files/") != std::string::npos && error == EPERM;
    return why +
           (replaced ? "; its file was replaced since the program mapped it, and only root may read the old one" : "");
  }

  static std::string no_symbols(const std::string& object) {
    return ": '" + object +
           "' is stripped of its symbols; trace one that is not, or an address as pid$target:a.out:-:ADDRESS";
  }

  static std::string exported_only(const std::string& object) {
    return ": '" + object + "' is stripped of all symbols but those that it exports";
  }

  void add_function(const Object& object, Files::File& file, const ElfFunction& function) {
    if (names_.entry && !skip(object, function, "entry")) {
      std::vector<CodePlace> jumps = file.functions.reenters(function);
      const auto handed_over = handovers_.find({&file, function.address});
      if (handed_over != handovers_.end())
        jumps.insert(jumps.end(), handed_over->second.begin(), handed_over->second.end());
      add_entry(object, function, jumps);
    }
    const bool returns = names_.returns && !skip(object, function, "return");
    if (!returns && !names_.offsets) return;
    FunctionCode read = file.functions.read(function);
    if (returns) add_return(object, function, read);
    if (names_.one_offset) add_one_offset(object, function, read);
    if (names_.offsets && !names_.one_offset) add_all_offsets(object, function, read);
  }

  bool skip(const Object& object, const ElfFunction& function, const char* name) {
    const bool known = is_known_(object, function, name);
    if (known) found_.known++;
    return known;
  }

  void add_entry(const Object& object, const ElfFunction& function, const std::vector<CodePlace>& reenters) {
    Site& site = add(SONDE_TAP_USER_ENTRY, object, function, "entry");
    site.places.push_back({function.offset, {}});
    site.places.insert(site.places.end(), reenters.begin(), reenters.end());
  }

  void add_return(const Object& object, const ElfFunction& function, FunctionCode& read) {
    Site& site = add(SONDE_TAP_USER_RETURN, object, function, "return");
    site.refused = read.broken.empty() ? read.endless : read.broken;
    site.quietly = read.never_returns;
    if (site.refused.empty()) site.places = std::move(read.leaves);
  }

  void add_offset(const Object& object, const ElfFunction& function, std::string name, uint64_t offset) {
    add(SONDE_TAP_USER_OFFSET, object, function, std::move(name)).places.push_back({function.offset + offset, {}});
  }

  /// A function that could not be decoded gets one probe, at offset 0, which is refused with the reason.
  void add_all_offsets(const Object& object, const ElfFunction& function, const FunctionCode& read) {
    if (!read.broken.empty() && names_.glob.matches("0"))
      add(SONDE_TAP_USER_OFFSET, object, function, "0").refused = read.broken;
    for (const uint32_t offset : read.instructions) {
      std::string name = hex_digits(offset);
      if (names_.glob.matches(name)) add_offset(object, function, std::move(name), offset);
      if (found_.sites.size() <= kMaxOffsetSites) continue;
      return refuse("D_PROC_CREATEFAIL", "the description names more than " + std::to_string(kMaxOffsetSites) +
                                             " instructions: name the function, or entry and return");
    }
  }

  /// If the function has no instruction there: one that a glob matched is left out, one that was named exactly is
  /// refused.
  void add_one_offset(const Object& object, const ElfFunction& function, const FunctionCode& read) {
    const std::string text = "offset " + hex(names_.offset);
    if (std::ranges::binary_search(read.instructions, names_.offset))
      return add_offset(object, function, names_.glob.literal(), names_.offset);
    if (!function_.is_exact()) return;
    if (!read.broken.empty()) {
      refuse("D_PROC_CREATEFAIL",
             "function '" + shown_name(function.name) + "' has no instruction probes: " + read.broken);
    } else if (names_.offset >= read.size) {
      refuse("D_PROC_OFF", text + " outside of function '" + shown_name(function.name) + "'");
    } else {
      refuse("D_PROC_ALIGN",
             text + " is not at the beginning of an instruction of function '" + shown_name(function.name) + "'");
    }
  }

  /// pid1:a.out:-:401136: an address as linked.
  void find_absolute(const std::vector<Object>& objects) {
    const std::string_view module = spec_.dtpd_mod;
    std::vector<const Object*> programs = select_objects(objects, module);
    std::erase_if(programs, [&](const Object* one) { return !one->executable && !is_path(module); });
    if (programs.empty()) return refuse("D_PROC_LIB", "only the a.out module is valid with the '-' function");
    if (programs.size() > 1)
      return refuse("D_PROC_LIB",
                    "an address belongs to one program, and sonde traces several: name its file by a path");
    const Object* program = programs.front();
    if (!names_.glob.is_exact())
      return refuse("D_PROC_NAME", "only individual addresses may be specified with the '-' function");
    if (!names_.one_offset)
      return refuse("D_PROC_NAME", "'" + std::string(spec_.dtpd_name) +
                                       "' is an invalid probe name\nit is an address in hexadecimal, such as 4011f0");
    const std::string address = "address " + hex(names_.offset);
    Files::File* file = files_.open(program->path);
    uint64_t offset = 0;
    if (file == nullptr || !file->elf->offset_of(names_.offset, offset))
      return refuse("D_PROC_OFF", address + " outside of the code of '" + program->name + "'");
    const ElfFunction* function = file->elf->at(names_.offset);
    if (function != nullptr) {
      const FunctionCode read = file->functions.read(*function);
      const bool begins = std::ranges::binary_search(read.instructions, names_.offset - function->address);
      if (read.broken.empty() && !begins)
        return refuse("D_PROC_ALIGN", address + " is not at the beginning of an instruction");
    }
    const uint64_t entry = function == nullptr ? offset : function->offset;
    found_.sites.push_back({SONDE_TAP_USER_OFFSET, program, nullptr, names_.glob.literal(), entry, {{offset, {}}}, {}});
  }

  Site& add(sonde_tap_kind kind, const Object& object, const ElfFunction& function, std::string name) {
    return found_.sites.emplace_back(Site{kind, &object, &function, std::move(name), function.offset, {}, {}});
  }

  const dtrace_probedesc_t& spec_;
  FunctionField function_;
  WantedNames names_;
  IndirectFunctions& indirect_;
  RunTimeCode& compiled_;
  Files& files_;
  const IsKnown& is_known_;
  /// By file and function: jumps to it from other implementations of the same name.
  std::map<std::pair<const Files::File*, uint64_t>, std::vector<CodePlace>> handovers_;
  bool unresolved_ = false;  ///< the code of an indirect function could not be found
  Found found_;
};

}  // namespace

Found find_sites(const dtrace_probedesc_t& spec, const std::vector<Object>& objects, IndirectFunctions& indirect,
                 RunTimeCode& compiled, Files& files, const IsKnown& is_known) {
  return Finder(spec, indirect, compiled, files, is_known).run(objects);
}

}  // namespace sonde::pid
