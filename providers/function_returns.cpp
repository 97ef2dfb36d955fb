// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/function_returns.h"

#include <algorithm>
#include <cerrno>
#include <set>

namespace sonde {
namespace {

constexpr size_t kMostParts = 16;  ///< that the jumps of one function lead to

/// glibc keeps the old version of a function beside the one that programs call; the old one is a few instructions that
/// lead to it.
const ElfFunction* current_version(const ElfFile& elf, std::string_view name) {
  const ElfFunction* found = nullptr;
  for (const ElfFunction& one : elf.functions())
    if (one.name == name && (found == nullptr || one.size > found->size)) found = &one;
  return found;
}

/// The part at an address that a jump leads to. It may have no name, and begin where no symbol does.
ElfFunction part_at(const ElfFile& elf, uint64_t address) {
  ElfFunction part{.address = address};
  if (const ElfFunction* known = elf.at(address); known != nullptr && known->address == address) return *known;
  if (!elf.offset_of(address, part.offset)) part.offset = 0;
  return part;
}

/// The address to which the instruction jumps; 0: by an operand.
uint64_t target_of(const ElfFile& elf, const ElfFunction& part, const CodePlace& place) {
  const std::vector<Instruction> jump = decode(elf.code(place.offset, place.leave.length));
  if (jump.empty() || !jump[0].has_target) return 0;
  return part.address + (place.offset - part.offset) + static_cast<uint64_t>(jump[0].target);
}

class Search {
 public:
  Search(CodeFiles::File& file, Places& found) : file_(file), found_(found) {}

  void follow(const ElfFunction& part) {
    if (!seen_.insert(part.address).second || seen_.size() > kMostParts) return;
    if (part.offset == 0) return fail("a jump leads out of the file's code");
    const FunctionCode code = file_.functions.read(part);
    if (!code.broken.empty()) return fail(code.broken);
    for (const CodePlace& place : code.leaves) {
      if (place.leave.how == SONDE_LEAVE_RETURN) {
        found_.returns.push_back({part.offset, place});
        continue;
      }
      if (seen_.size() == 1 && place.leave.how == SONDE_LEAVE_JUMP) found_.jumps.push_back(place.offset);
      const uint64_t target = target_of(*file_.elf, part, place);
      if (target != 0) follow(part_at(*file_.elf, target));
    }
  }

 private:
  void fail(const std::string& why) {
    if (found_.broken.empty()) found_.broken = why;
  }

  CodeFiles::File& file_;
  Places& found_;
  std::set<uint64_t> seen_;
};

struct Found {
  CodeFiles::File* file;
  const ElfFunction* symbol;
};

Result<Found> find_function(CodeFiles& files, const std::string& path, std::string_view function) {
  const auto file = files.open(path);
  if (!file) return file.error();
  const ElfFunction* symbol = current_version(*(*file)->elf, function);
  if (symbol == nullptr) return Error(path + " has no function " + std::string(function), ENOENT);
  return Found{*file, symbol};
}

std::vector<uint8_t> code_of(const Found& found) { return found.file->elf->code(*found.symbol); }

}  // namespace

Result<Places> places_of(CodeFiles& files, const std::string& path, std::string_view function) {
  const auto in = find_function(files, path, function);
  if (!in) return in.error();
  Places found{.entry = in->symbol->offset};
  Search(*in->file, found).follow(*in->symbol);
  if (found.returns.empty() && found.broken.empty()) found.broken = "it never returns";
  return found;
}

Result<Places> callback_of(CodeFiles& files, const std::string& path, std::string_view function) {
  const auto in = find_function(files, path, function);
  if (!in) return in.error();
  const ElfFunction& symbol = *in->symbol;
  std::set<uint64_t> offsets;
  for (const uint64_t address : addresses_loaded(code_of(*in), symbol.address)) {
    uint64_t offset = 0;
    const bool inside = address >= symbol.address && address < symbol.address + symbol.size;
    if (!inside && in->file->elf->offset_of(address, offset)) offsets.insert(offset);
  }
  Places found;
  if (offsets.size() == 1) found.entry = *offsets.begin();
  if (offsets.size() != 1)
    found.broken = std::string(function) + " takes the addresses of " + std::to_string(offsets.size()) + " functions";
  return found;
}

Result<FieldPath> field_of(CodeFiles& files, const std::string& path, std::string_view function) {
  const auto in = find_function(files, path, function);
  if (!in) return in.error();
  std::optional<FieldPath> field = field_path(code_of(*in));
  if (!field) return Error(std::string(function) + " in " + path + " does more than return a field", ENOTSUP);
  return std::move(*field);
}

}  // namespace sonde
