// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/pid/indirect.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "providers/pid/resolver.h"
#include "runtime/base/find.h"
#include "runtime/code/instructions.h"
#include "runtime/process/arch.h"

namespace sonde::pid {
namespace {

/// Any function of the object: its address and offset show where the object is mapped.
const ElfFunction* some_function(const ElfFile& file) {
  if (!file.functions().empty()) return &file.functions().front();
  return file.indirect().empty() ? nullptr : &file.indirect().front();
}

void add_once(std::vector<Implementation>& all, Implementation one) {
  const auto same = [&](const Implementation& other) { return other.offset == one.offset && other.path == one.path; };
  if (std::ranges::none_of(all, same)) all.push_back(std::move(one));
}

}  // namespace

std::vector<Implementation> IndirectFunctions::implementations(const ElfFile& file, const ElfFunction& function) {
  if (pid_ != 0 && maps_.empty()) look();
  const Object* home = object_of(file.path());
  if (home == nullptr) return {};
  if (pid_ == 0) return candidates(*home, function);
  const auto code = [this](uint64_t address, uint8_t* to, size_t length) { return read_code(address, to, length); };
  const auto data = [this, home](uint64_t address, uint8_t* to, size_t length) {
    return read_data(*home, address, to, length);
  };
  if (const auto target = interpret_resolver(home->base + function.address, code, data))
    if (auto found = code_at(*target)) return {std::move(*found)};
  std::vector<Implementation> found = by_slots(*home, function);
  return found.empty() ? candidates(*home, function) : found;
}

void IndirectFunctions::look() {
  if (auto maps = read_proc_maps(pid_)) maps_ = std::move(*maps);
  memory_.reset(::open(("/proc/" + std::to_string(pid_) + "/mem").c_str(), O_RDONLY | O_CLOEXEC));
  for (MapEntry& entry : maps_) {
    if (!entry.executable || !entry.is_file()) continue;
    entry.path = path_to_open(pid_, entry);
    if (std::ranges::count(paths_, entry.path) == 0) paths_.push_back(entry.path);
  }
  std::ranges::stable_partition(paths_, [](const std::string& path) { return base_name(path).starts_with("ld"); });
}

std::optional<IndirectFunctions::Object> IndirectFunctions::open(const std::string& path) {
  const Files::File* file = pid_ == 0 || std::ranges::count(paths_, path) != 0 ? files_.open(path) : nullptr;
  if (pid_ == 0 && file != nullptr) return Object{file->elf, ElfImage::read(path), 0, false};
  const ElfFunction* known = file != nullptr ? some_function(*file->elf) : nullptr;
  if (known == nullptr) return std::nullopt;
  for (const MapEntry& entry : maps_) {
    if (!entry.executable || entry.path != path || known->offset - entry.offset >= entry.end - entry.start) continue;
    Object object{file->elf, ElfImage::read(path), entry.start + (known->offset - entry.offset) - known->address};
    object.relocated = is_relocated(object);
    return object;
  }
  return std::nullopt;
}

IndirectFunctions::Object* IndirectFunctions::object_of(const std::string& path) {
  auto found = objects_.find(path);
  if (found == objects_.end()) found = objects_.emplace(path, open(path)).first;
  return found->second ? &*found->second : nullptr;
}

bool IndirectFunctions::read(uint64_t address, void* to, size_t length) const {
  return pread(memory_.get(), to, length, static_cast<off_t>(address)) == static_cast<ssize_t>(length);
}

const MapEntry* IndirectFunctions::mapping_of(uint64_t address) const {
  const auto after = std::ranges::upper_bound(maps_, address, {}, &MapEntry::start);
  return after == maps_.begin() || address >= std::prev(after)->end ? nullptr : &*std::prev(after);
}

/// The linker relocates indirect functions last. A relocated word differs from the one in the file, so checking the
/// last one suffices.
bool IndirectFunctions::is_relocated(const Object& object) const {
  const ElfRelocation* last = nullptr;
  for (const ElfRelocation& relocation : object.image->relocations) {
    const bool indirect = relocation.type == machine::kIndirect;
    if (indirect || (relocation.type == machine::kRelative && (last == nullptr || last->type == machine::kRelative)))
      last = &relocation;
  }
  const MapEntry* mapping = last != nullptr ? mapping_of(object.base + last->slot) : nullptr;
  if (mapping == nullptr || !mapping->is_file()) return true;
  const uint64_t address = object.base + last->slot;
  const std::vector<uint8_t> before = object.file->code(address - mapping->start + mapping->offset, 8);
  uint8_t now[8];
  return before.size() != sizeof now || !read(address, now, sizeof now) ||
         std::memcmp(before.data(), now, sizeof now) != 0;
}

/// Reads code from the file, because the process's memory may have breakpoints in it.
size_t IndirectFunctions::read_code(uint64_t address, uint8_t* to, size_t length) {
  const MapEntry* mapping = mapping_of(address);
  const Object* object = mapping != nullptr && mapping->executable ? object_of(mapping->path) : nullptr;
  if (object == nullptr) return 0;
  const std::vector<uint8_t> bytes = object->file->code(address - mapping->start + mapping->offset, length);
  std::memcpy(to, bytes.data(), bytes.size());
  return bytes.size();
}

bool IndirectFunctions::read_data(const Object& home, uint64_t address, uint8_t* to, size_t length) {
  const uint64_t linked = address - home.base;
  const ElfRelocation* relocation = length == sizeof(uint64_t) ? home.image->relocation(linked) : nullptr;
  if (relocation != nullptr && !relocation->symbol.empty()) {
    if (const auto value = symbol_address(home, relocation->symbol)) {
      std::memcpy(to, &*value, sizeof *value);
      return true;
    }
  }
  if (!home.relocated && home.image->is_writable(linked)) return false;
  return read(address, to, length);
}

std::optional<uint64_t> IndirectFunctions::symbol_address(const Object& home, const std::string& name) {
  if (const uint64_t* own = find_in(home.image->symbols, name)) return home.base + *own;
  for (const std::string& path : paths_) {
    const Object* object = object_of(path);
    const uint64_t* found = object != nullptr ? find_in(object->image->symbols, name) : nullptr;
    if (found != nullptr) return object->base + *found;
  }
  return std::nullopt;
}

std::optional<Implementation> IndirectFunctions::code_at(uint64_t address) const {
  const MapEntry* mapping = mapping_of(address);
  if (mapping == nullptr || !mapping->executable || (!mapping->is_file() && mapping->path != kVdso))
    return std::nullopt;
  return Implementation{mapping->path, address - mapping->start + mapping->offset};
}

std::vector<Implementation> IndirectFunctions::by_slots(const Object& home, const ElfFunction& function) {
  std::vector<Implementation> found;
  for (const std::string& path : paths_) {
    const Object* object = object_of(path);
    if (object == nullptr || !object->relocated) continue;
    for (const ElfRelocation& relocation : object->image->relocations) {
      const bool own = object == &home && relocation.type == machine::kIndirect &&
                       static_cast<uint64_t>(relocation.addend) == function.address;
      const bool by_name = relocation.symbol == function.name &&
                           (relocation.type == machine::kJumpSlot || relocation.type == machine::kGlobalData ||
                            relocation.type == machine::kWord);
      uint64_t value = 0;
      if ((!own && !by_name) || !read(object->base + relocation.slot, &value, sizeof value)) continue;
      auto code = code_at(value);
      // A slot that points to another object is for another function of that name. One that points to its own object is
      // not bound yet: it has the address of the linkage table.
      const bool ours = code && (code->path == home.file->path() || code->path == kVdso);
      const bool unbound = code && relocation.type == machine::kJumpSlot && code->path == path;
      if (ours && !unbound) add_once(found, std::move(*code));
    }
  }
  return found;
}

/// The beginning of the text at an address as linked; empty: there is none.
std::string IndirectFunctions::text_at(const Object& home, uint64_t linked) const {
  char text[64] = {};
  if (pid_ != 0) {
    const bool maps_vdso = std::ranges::find(maps_, kVdso, &MapEntry::path) != maps_.end();
    return maps_vdso && read(home.base + linked, text, sizeof text - 1) ? text : "";
  }
  uint64_t offset = 0;
  if (!home.image->offset_of(linked, offset)) return "";
  const std::vector<uint8_t> bytes = home.file->code(offset, sizeof text - 1);
  std::memcpy(text, bytes.data(), bytes.size());
  return text;
}

std::vector<Implementation> IndirectFunctions::candidates(const Object& home, const ElfFunction& function) const {
  constexpr std::string_view kOfTheVdso = "__vdso_";
  std::vector<Implementation> found;
  for (const uint64_t linked : addresses_loaded(home.file->code(function), function.address)) {
    uint64_t offset = 0;
    if (home.file->offset_of(linked, offset)) {
      add_once(found, {home.file->path(), offset});
      continue;
    }
    const std::string name = text_at(home, linked);
    if (!name.starts_with(kOfTheVdso)) continue;
    const Files::File* object = files_.open(kVdso);
    const ElfFunction* there = object != nullptr ? object->elf->find(name) : nullptr;
    if (there != nullptr) add_once(found, {kVdso, there->offset});
  }
  return found;
}

}  // namespace sonde::pid
