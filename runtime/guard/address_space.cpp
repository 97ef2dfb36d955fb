// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/guard/address_space.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "runtime/guard/taps.h"
#include "runtime/process/elf_file.h"
#include "runtime/process/proc_maps.h"

namespace sonde::guard {
namespace {

std::string proc_path(pid_t pid, const char* name) { return "/proc/" + std::to_string(pid) + "/" + name; }

bool parse_mapping(const char* line, Mapping& out) {
  unsigned long start, end, offset, inode;
  unsigned major, minor;
  char rights[8];
  int path_at = 0;
  if (std::sscanf(line, "%lx-%lx %7s %lx %x:%x %lu %n", &start, &end, rights, &offset, &major, &minor, &inode,
                  &path_at) < 7) {
    return false;
  }
  std::string path = line + path_at;
  while (!path.empty() && path.back() == '\n') path.pop_back();
  out = {start, end, offset, major, minor, inode, rights[2] == 'x', std::move(path)};
  return true;
}

}  // namespace

AddressSpace::AddressSpace(pid_t pid, const AddressSpace& parent)
    : pid_(pid),
      unwinder_(pid),
      sites_(parent.sites_),
      past_(parent.past_),
      slots_(parent.slots_),
      mappings_(parent.mappings_),
      scanned_(parent.scanned_),
      compat_(parent.compat_),
      auxiliary_read_(parent.auxiliary_read_),
      entry_(parent.entry_),
      headers_(parent.headers_),
      header_count_(parent.header_count_),
      linker_base_(parent.linker_base_),
      lowest_(parent.lowest_),
      highest_(parent.highest_) {
  for (auto& [address, slot] : slots_) slot.users = 0;
}

bool AddressSpace::compat() {
  if (!compat_) compat_ = runs_compat_program(static_cast<uint32_t>(pid_));
  return *compat_;
}

int AddressSpace::memory() const {
  if (!memory_) memory_.reset(open(proc_path(pid_, "mem").c_str(), O_RDWR | O_CLOEXEC));
  return memory_.get();
}

uint64_t AddressSpace::entry() {
  read_auxiliary();
  return entry_;
}

void AddressSpace::read_auxiliary() {
  if (std::exchange(auxiliary_read_, true)) return;
  UniqueFd file(open(proc_path(pid_, "auxv").c_str(), O_RDONLY | O_CLOEXEC));
  uint64_t pairs[128] = {};
  const ssize_t got = file ? ::read(file.get(), pairs, sizeof pairs) : 0;
  for (size_t i = 0; i + 1 < static_cast<size_t>(std::max<ssize_t>(got, 0)) / 8; i += 2) {
    if (pairs[i] == AT_ENTRY) entry_ = pairs[i + 1];
    if (pairs[i] == AT_PHDR) headers_ = pairs[i + 1];
    if (pairs[i] == AT_PHNUM) header_count_ = pairs[i + 1];
    if (pairs[i] == AT_BASE) linker_base_ = pairs[i + 1];
  }
}

bool AddressSpace::read(uint64_t address, void* to, size_t length) const {
  return pread(memory(), to, length, static_cast<off_t>(address)) == static_cast<ssize_t>(length);
}

bool AddressSpace::write(uint64_t address, const void* from, size_t length) {
  return pwrite(memory(), from, length, static_cast<off_t>(address)) == static_cast<ssize_t>(length);
}

void AddressSpace::hide(uint64_t address, uint8_t* bytes, size_t length) const {
  if (sites_.empty() || address > highest_ || address + length <= lowest_) return;
  for (const auto& [at, site] : sites_) {
    if (at >= address && at - address < length) bytes[at - address] = site.instruction.first_byte();
  }
}

Site* AddressSpace::site(uint64_t address) {
  auto found = sites_.find(address);
  return found == sites_.end() ? nullptr : &found->second;
}

Site* AddressSpace::insert(uint64_t address, std::string& why) {
  if (Site* known = site(address)) return known;
  uint8_t bytes[15];
  size_t length = sizeof bytes;
  while (length > 0 && !read(address, bytes, length)) length--;  // the text may end
  hide(address, bytes, length);
  Site made;
  made.address = address;
  made.instruction = Instruction(address, bytes, length);
  if (length == 0) {
    why = "its text cannot be read";
  } else if (made.instruction.how() == Instruction::How::Impossible) {
    why = "its instruction cannot be stepped out of line";
  } else if (!write(address, &kBreakpointByte, 1)) {
    why = "its text cannot be written";
  } else {
    past_.insert(address);
    lowest_ = std::min(lowest_, address);
    highest_ = std::max(highest_, address);
    return &(sites_[address] = std::move(made));
  }
  return nullptr;
}

void AddressSpace::remove_unused(uint64_t address) {
  Site* found = site(address);
  if (found == nullptr || found->used()) return;
  const uint8_t original = found->instruction.first_byte();
  write(address, &original, 1);
  sites_.erase(address);
}

void AddressSpace::remove_all() {
  for (auto& [address, site] : sites_) {
    const uint8_t original = site.instruction.first_byte();
    write(address, &original, 1);
  }
  sites_.clear();
}

void AddressSpace::lift(Site& site) {
  const uint8_t original = site.instruction.first_byte();
  if (site.lifted++ == 0) write(site.address, &original, 1);
}

void AddressSpace::lower(uint64_t address) {
  Site* found = site(address);
  if (found != nullptr && found->lifted > 0 && --found->lifted == 0) write(address, &kBreakpointByte, 1);
}

bool AddressSpace::was_ours(uint64_t address) const {
  uint8_t byte = 0;
  return past_.contains(address) && read(address, &byte, 1) && byte != kBreakpointByte;
}

uint64_t AddressSpace::take_slot(Site& site) {
  const auto last = slots_.find(site.slot);
  if (site.slot != 0 && last != slots_.end() && last->second.site == site.address) {
    last->second.users++;
    return site.slot;
  }
  std::array<uint8_t, kSlotBytes> bytes;
  uint64_t best = 0;
  for (auto& [address, slot] : slots_) {
    if (slot.users > 0 || !site.instruction.copy_to(address, bytes)) continue;
    if (best == 0 || (slot.site == 0 && slots_[best].site != 0)) best = address;
  }
  if (best == 0) return 0;
  if (!site.instruction.copy_to(best, bytes) || !write(best, bytes.data(), bytes.size())) return 0;
  slots_[best] = {site.address, 1};
  return site.slot = best;
}

void AddressSpace::give_slot(uint64_t address) {
  auto found = slots_.find(address);
  if (found != slots_.end() && found->second.users > 0) found->second.users--;
}

/// The end of the last page of a text segment holds nothing of the program.
void AddressSpace::add_slots(const Mapping& text) {
  const Mapping* head = nullptr;
  for (const Mapping& mapping : mappings_) {
    const bool same = mapping.inode == text.inode && mapping.major == text.major && mapping.minor == text.minor;
    if (same && mapping.offset == 0 && mapping.start <= text.start) head = &mapping;
  }
  Elf64_Ehdr elf;
  if (head == nullptr || !read(head->start, &elf, sizeof elf) || std::memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0) return;
  for (uint32_t i = 0; i < std::min<uint32_t>(elf.e_phnum, 64); i++) {
    Elf64_Phdr segment;
    if (!read(head->start + elf.e_phoff + i * sizeof segment, &segment, sizeof segment)) return;
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X)) continue;
    if (segment.p_offset < text.offset || segment.p_offset - text.offset >= text.end - text.start) continue;
    const uint64_t end = text.start + (segment.p_offset - text.offset) + segment.p_memsz;
    for (uint64_t slot = (end + 31) & ~uint64_t{15}; slot + kSlotBytes <= text.end; slot += kSlotBytes) slots_[slot];
  }
}

std::vector<Mapping> AddressSpace::refresh(pid_t pid) {
  std::vector<Mapping> before = std::exchange(mappings_, {});
  FILE* file = std::fopen(proc_path(pid, "maps").c_str(), "re");
  char line[SONDE_PATH_MAX + 256];
  while (file != nullptr && std::fgets(line, sizeof line, file) != nullptr) {
    Mapping mapping;
    if (parse_mapping(line, mapping) && mapping.inode != 0) mappings_.push_back(std::move(mapping));
  }
  if (file != nullptr) std::fclose(file);
  scanned_ = true;
  unwinder_.forget();
  std::vector<Mapping> fresh;
  for (const Mapping& mapping : mappings_) {
    if (mapping.executable && std::find(before.begin(), before.end(), mapping) == before.end())
      fresh.push_back(mapping);
  }
  const auto gone = [this](uint64_t address) {
    return std::none_of(mappings_.begin(), mappings_.end(), [address](const Mapping& mapping) {
      return mapping.executable && address >= mapping.start && address < mapping.end;
    });
  };
  std::erase_if(slots_, [&](const auto& slot) { return slot.second.users == 0 && gone(slot.first); });
  for (const Mapping& mapping : fresh) add_slots(mapping);
  return fresh;
}

/// r_brk of the r_debug that DT_DEBUG points to; 0 while the dynamic linker has not set it, or where there is none.
uint64_t AddressSpace::linker_breakpoint() {
  uint64_t debug[4] = {};
  return read_linker(debug) ? debug[2] : 0;
}

bool AddressSpace::linker_done() {
  uint64_t debug[4] = {};
  return read_linker(debug) && static_cast<uint32_t>(debug[3]) == r_debug::RT_CONSISTENT;
}

uint64_t AddressSpace::linker_function() {
  read_auxiliary();
  const auto holds = [](const Mapping& mapping, uint64_t address) {
    return address >= mapping.start && address < mapping.end;
  };
  const auto base = std::ranges::find_if(mappings_, [&](const Mapping& m) { return holds(m, linker_base_); });
  if (base == mappings_.end()) return 0;
  static ElfCache files;
  const auto file = files.open(base->path);
  const ElfFunction* function = file ? (*file)->find("_dl_debug_state") : nullptr;
  if (function == nullptr) return 0;
  for (const Mapping& mapping : mappings_) {
    const uint64_t at = mapping.start + (function->offset - mapping.offset);
    if (mapping.executable && mapping.path == base->path && function->offset >= mapping.offset && holds(mapping, at))
      return at;
  }
  return 0;
}

bool AddressSpace::read_linker(uint64_t (&debug)[4]) {
  read_auxiliary();
  uint64_t load = 0, dynamic = 0;
  for (uint64_t i = 0; i < std::min<uint64_t>(header_count_, 64); i++) {
    Elf64_Phdr segment;
    if (!read(headers_ + i * sizeof segment, &segment, sizeof segment)) return false;
    if (segment.p_type == PT_PHDR) load = headers_ - segment.p_vaddr;
    if (segment.p_type == PT_DYNAMIC) dynamic = segment.p_vaddr;
  }
  if (dynamic == 0) return false;
  for (uint64_t i = 0; i < 256; i++) {
    Elf64_Dyn entry;
    if (!read(load + dynamic + i * sizeof entry, &entry, sizeof entry) || entry.d_tag == DT_NULL) return false;
    if (entry.d_tag == DT_DEBUG && entry.d_un.d_ptr != 0) return read(entry.d_un.d_ptr, debug, sizeof debug);
  }
  return false;
}

}  // namespace sonde::guard
