// SPDX-License-Identifier: GPL-3.0-or-later
// Breakpoints in memory that changes
//
// The program maps, unmaps, forks and compiles code while breakpoints are in place. So a breakpoint is taken out only
// if it is still there, and goes into compiled code only if the text is still the one that the probe was made for.
// ownership.cpp has what becomes of an int3 that is copied, moved or cannot be taken out.
//
// Invariant: Site::bytes are the program's. Memory that is shown, compared or decoded goes through hide() first, or
// takes its first byte from Site::bytes.
#include "runtime/guard/address_space.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "runtime/base/auxv.h"
#include "runtime/base/find.h"
#include "runtime/base/page.h"
#include "runtime/guard/taps.h"
#include "runtime/process/elf_file.h"
#include "runtime/process/jit_map.h"
#include "runtime/process/proc_maps.h"
#include "runtime/process/program_file.h"

namespace sonde::guard {
namespace {

using machine::Breakpoint;
using machine::kBreakpoint;

constexpr auto kLongestFork = std::chrono::seconds(10);  // from the copy of the memory to the birth of the child
constexpr size_t kCodeWindow = 16;  // bytes that must be unchanged for compiled code to be considered the same
Breakpoint breakpoint_in(const uint8_t* bytes) {
  Breakpoint code;
  std::memcpy(&code, bytes, sizeof code);
  return code;
}

Site* refuse(std::string& why, const char* reason) {
  why = reason;
  return nullptr;
}

}  // namespace

AddressSpace::AddressSpace(pid_t pid, const AddressSpace& parent, const std::function<bool(const Site&)>& keep)
    : pid_(pid),
      unwinder_(pid, parent.unwinder_),
      memory_(pid),
      pages_(pid),
      raised_(parent.raised_),
      past_(parent.past_),
      moved_(parent.moved_),
      gone_at_(parent.gone_at_),
      inherited_(parent.may_trap()),
      code_(parent.code_),
      slots_(parent.slots_),
      mappings_(parent.mappings_),
      scanned_(parent.scanned_),
      compat_(parent.compat_),
      auxiliary_read_(parent.auxiliary_read_),
      awaits_program_(parent.awaits_program_),
      entry_(parent.entry_),
      headers_(parent.headers_),
      header_count_(parent.header_count_),
      linker_base_(parent.linker_base_) {
  for (auto& [address, slot] : slots_) slot.users = 0;
  std::map<uint64_t, KeptBytes> out;
  if (std::chrono::steady_clock::now() - gone_at_ < kLongestFork) out.insert(past_.begin(), past_.end());
  for (const auto& [address, site] : parent.sites_) {
    if (!keep(site)) {
      out[address] = site;
      continue;
    }
    Site& copy = sites_.emplace_hint(sites_.end(), address, site)->second;
    copy.callers = 0;
    had_sites_ = true;
    // A thread of the parent was stepping it in place, so the copied memory lacks the breakpoint.
    if (std::exchange(copy.lifted, 0) > 0 && !write(address, &kBreakpoint, kCovered)) sites_.erase(address);
  }
  clean(out);
  if (sites_.empty()) memory_.close();
}

bool AddressSpace::compat() {
  if (!compat_) compat_ = runs_compat_program(static_cast<uint32_t>(pid_));
  return *compat_;
}

void AddressSpace::expect_walks() {
  if (unwinder_.open()) (void)memory_.open();
}

uint64_t AddressSpace::entry() {
  (void)awaits_program();
  return entry_;
}

std::string AddressSpace::why_no_entry() const {
  if (memory_.can_open()) return "its program has no entry point";
  return "its program's file may not be read, so neither may its memory: only root may trace its functions";
}

void AddressSpace::read_auxiliary() {
  if (std::exchange(auxiliary_read_, true)) return;
  const auto auxv = Auxv::read(static_cast<uint32_t>(pid_));
  if (!auxv) return;
  entry_ = auxv->value(AT_ENTRY);
  headers_ = auxv->value(AT_PHDR);
  header_count_ = auxv->value(AT_PHNUM);
  linker_base_ = auxv->value(AT_BASE);
  if (linker_base_ != 0 || !runs_linker(static_cast<uint32_t>(pid_))) return;
  linker_base_ = headers_;
  entry_ = headers_ = header_count_ = 0;
  awaits_program_ = true;
}

bool AddressSpace::awaits_program() {
  read_auxiliary();
  if (awaits_program_) find_program();
  return awaits_program_;
}

void AddressSpace::find_program() {
  const auto program = program_of_linker(static_cast<uint32_t>(pid_));
  Elf64_Ehdr head;
  if (!program || !read(program->start, &head, sizeof head)) return;
  awaits_program_ = false;
  entry_ = head.e_entry + (head.e_type == ET_DYN ? program->start : 0);
  headers_ = program->start + head.e_phoff;
  header_count_ = head.e_phnum;
}

bool AddressSpace::read(uint64_t address, void* to, size_t length) const {
  return pages_.bring_in(address, length) && memory_.read(address, to, length);
}

bool AddressSpace::write(uint64_t address, const void* from, size_t length) {
  return pages_.bring_in(address, length, Access::Write) && memory_.write(address, from, length);
}

void AddressSpace::hide(uint64_t address, uint8_t* bytes, size_t length) const {
  const uint64_t end = address + length;
  for (auto at = sites_.lower_bound(address - (kCovered - 1)); at != sites_.end() && at->first < end; ++at) {
    for (uint64_t from = std::max(at->first, address); from < std::min(at->first + kCovered, end); from++)
      bytes[from - address] = at->second.bytes[from - at->first];
  }
}

Site* AddressSpace::site(uint64_t address) { return find_in(sites_, address); }

const Mapping* AddressSpace::mapping_of(uint64_t address) const {
  const std::vector<Mapping>& known = scanned_ ? mappings_ : text_;
  auto after = std::ranges::upper_bound(known, address, {}, &Mapping::start);
  if (after == known.begin() || address >= std::prev(after)->end) return nullptr;
  return &*std::prev(after);
}

Site* AddressSpace::insert(uint64_t address, std::string& why) {
  if (Site* known = site(address)) return known;
  const Mapping* mapping = mapping_of(address);
  Site made;
  made.address = address;
  // The mapping may end before kInstructionMost bytes do.
  size_t length = mapping != nullptr ? std::min<uint64_t>(made.bytes.size(), mapping->end - address) : 0;
  if (length > 0 && !read(address, made.bytes.data(), length)) length = 0;
  hide(address, made.bytes.data(), length);
  made.length = static_cast<uint8_t>(length);
  if (length == 0) return refuse(why, "its text cannot be read");
  if (!mapping->executable) return refuse(why, "it is not in text");
  if (mapping->shared) return refuse(why, "its mapping is shared: other processes would run into the breakpoint");
  if (breakpoint_in(made.bytes.data()) != kBreakpoint) return put_in(std::move(made), why);
  if (recover(address) == Owner::Recovered) return insert(address, why);
  if (Site* owed = site(address)) return owed;
  return refuse(why, may_be_ours(address) ? "another tracer has a breakpoint or a uprobe there"
                                          : "its instruction is a breakpoint of the program's own");
}

/// Writes the breakpoint, for insert() and insert_code(). Null: it cannot be written or stepped; `why` says why.
Site* AddressSpace::put_in(Site made, std::string& why) {
  const uint64_t address = made.address;
  if (made.instruction().how() == Instruction::How::Impossible)
    return refuse(why, "its instruction cannot be stepped out of line");
  if (!withdrawn_ && !write(address, &kBreakpoint, kCovered)) return refuse(why, "its text cannot be written");
  had_sites_ = true;
  past_.erase(address);
  return &sites_.emplace(address, std::move(made)).first->second;
}

/// Whether our breakpoint is there. In compiled code a run of int3 is the program's: JIT compilers fill freed memory
/// with it.
bool AddressSpace::holds_breakpoint(uint64_t address) const {
  uint8_t bytes[kCodeWindow] = {};
  const Text* code = find_in(code_, address);
  const size_t size = code == nullptr ? kCovered : code->size();
  if (!read(address, bytes, size) || breakpoint_in(bytes) != kBreakpoint) return false;
  const bool filled = size > kCovered && std::memcmp(bytes, bytes + kCovered, size - kCovered) == 0;
  return !filled || std::equal(bytes + kCovered, bytes + size, code->begin() + kCovered);
}

bool AddressSpace::is_code(uint64_t address) {
  const auto holds_it = [address](const auto& area) { return address >= area.first && address < area.second; };
  if (std::ranges::any_of(areas_, holds_it)) return true;
  areas_.clear();
  for (const Mapping& mapping : read_mappings(pid_, is_own_code)) areas_.emplace_back(mapping.start, mapping.end);
  return std::ranges::any_of(areas_, holds_it);
}

Site* AddressSpace::insert_code(const ArmedTap& tap, std::string& why) {
  constexpr uint32_t kMostText = 1 << 20;
  const uint64_t address = tap.offset, begin = address - tap.function;
  Text text(std::min(tap.number, kMostText));
  if (!is_code(address)) return refuse(why, "it is not in private memory with code");
  if (begin >= text.size() || !read(tap.function, text.data(), text.size()))
    return refuse(why, "its text cannot be read");
  hide(tap.function, text.data(), text.size());
  if (sum_of_text(text) != tap.sum) return refuse(why, "its code has changed");
  if (Site* known = site(address)) return known;
  Site made;
  made.address = address;
  made.length = static_cast<uint8_t>(std::min<size_t>(text.size() - begin, made.bytes.size()));
  std::copy_n(text.begin() + static_cast<ptrdiff_t>(begin), made.length, made.bytes.begin());
  Site* site = put_in(std::move(made), why);
  if (site == nullptr) return nullptr;
  text.erase(text.begin(), text.begin() + static_cast<ptrdiff_t>(begin));
  text.resize(std::min(text.size(), kCodeWindow));
  code_[address] = std::move(text);
  return site;
}

bool AddressSpace::renew(Site& site) {
  Text* code = find_in(code_, site.address);
  if (code == nullptr || site.lifted > 0) return true;
  if (!holds_breakpoint(site.address)) return false;
  Text now(code->size());
  if (!read(site.address, now.data(), now.size())) return false;
  std::copy_n(site.bytes.begin(), kCovered, now.begin());
  if (now == *code) return true;
  site.length = static_cast<uint8_t>(std::min<size_t>(now.size(), site.bytes.size()));
  std::copy_n(now.begin(), site.length, site.bytes.begin());
  *code = std::move(now);
  return true;
}

bool AddressSpace::lift(Site& site) {
  const bool out =
      site.lifted > 0 || !holds_breakpoint(site.address) || write(site.address, site.bytes.data(), kCovered);
  if (out) site.lifted++;
  return out;
}

void AddressSpace::lower(uint64_t address) {
  Site* found = site(address);
  if (found == nullptr || found->lifted == 0 || --found->lifted > 0) return;
  if (!withdrawn_) put_back(*found);
}

/// Only if the text is still the program's own: it may have mapped or compiled something else meanwhile.
void AddressSpace::put_back(const Site& site) {
  const Text* code = find_in(code_, site.address);
  uint8_t bytes[kCodeWindow] = {};
  const size_t size = code != nullptr ? code->size() : kCovered;
  if (!read(site.address, bytes, size)) return;  // it is not mapped any more
  const bool same = std::equal(bytes, bytes + size, code != nullptr ? code->data() : site.bytes.data());
  if (same && !write(site.address, &kBreakpoint, kCovered)) unrestored_++;
}

size_t AddressSpace::withdraw() {
  withdrawn_ = true;
  return static_cast<size_t>(std::ranges::count_if(sites_, [this](const auto& entry) {
    const Site& site = entry.second;
    return holds_breakpoint(site.address) && !write(site.address, site.bytes.data(), kCovered);
  }));
}

void AddressSpace::reinstate() {
  if (!std::exchange(withdrawn_, false)) return;
  for (const auto& [address, site] : sites_)
    if (site.lifted == 0) put_back(site);
}

bool AddressSpace::is_behind_call(uint64_t address) {
  constexpr auto& kCall = machine::kSyscallInstruction;
  uint8_t bytes[sizeof kCall] = {};
  if (!scanned_ && text_.empty()) text_ = read_mappings(pid_);
  const Mapping* mapping = mapping_of(address);
  return mapping != nullptr && mapping->executable && read(address - sizeof kCall, bytes, sizeof bytes) &&
         std::memcmp(bytes, kCall, sizeof kCall) == 0;
}

uint64_t AddressSpace::take_slot(Site& site) {
  Slot* last = find_in(slots_, site.slot);
  if (site.slot != 0 && last != nullptr && last->site == site.address) {
    last->users++;
    return site.slot;
  }
  const Instruction instruction = site.instruction();
  std::array<uint8_t, kSlotBytes> bytes;
  // Slots are taken in turn, so a site keeps its slot for long. One that cannot be written is not there any more.
  auto at = slots_.upper_bound(hand_);
  for (size_t tries = slots_.size(); tries > 0; tries--) {
    if (at == slots_.end()) at = slots_.begin();
    auto& [address, slot] = *at;
    const bool usable = slot.users == 0 && instruction.copy_to(address, bytes);
    if (usable && write(address, bytes.data(), bytes.size())) {
      slot = {site.address, 1};
      hand_ = address;
      return site.slot = address;
    }
    at = usable && slot.site == 0 ? slots_.erase(at) : std::next(at);
  }
  return 0;
}

bool AddressSpace::steps_in_slots() const {
  return std::ranges::any_of(slots_, [](const auto& one) { return one.second.users > 0; });
}

void AddressSpace::give_slot(uint64_t address) {
  if (Slot* slot = find_in(slots_, address); slot && slot->users > 0) slot->users--;
}

/// Adds slots in the unused end of the last page of a text segment.
void AddressSpace::add_slots(const Mapping& text) {
  const Mapping* head = nullptr;
  for (const Mapping& mapping : mappings_) {
    const bool same = mapping.inode == text.inode && mapping.major == text.major && mapping.minor == text.minor;
    if (same && mapping.offset == 0 && mapping.start <= text.start) head = &mapping;
  }
  Elf64_Ehdr elf;
  if (head == nullptr || !read(head->start, &elf, sizeof elf) || std::memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0) return;
  std::vector<Elf64_Phdr> segments(std::min<size_t>(elf.e_phnum, 64));
  if (!read(head->start + elf.e_phoff, segments.data(), segments.size() * sizeof segments[0])) return;
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X)) continue;
    if (segment.p_offset < text.offset || segment.p_offset - text.offset >= text.end - text.start) continue;
    uint64_t end = text.start + (segment.p_offset - text.offset) + segment.p_memsz;
    // Debuggers read the vdso's section headers in memory, behind its text.
    if (text.path == kVdsoPath) end = std::max(end, text.start + elf.e_shoff + elf.e_shnum * elf.e_shentsize);
    for (uint64_t slot = (end + 31) & ~uint64_t{15}; slot + kSlotBytes <= text.end; slot += kSlotBytes) slots_[slot];
  }
}

std::vector<Mapping> AddressSpace::refresh(pid_t pid) {
  const UniqueFd maps = open_mappings(pid);
  if (!maps) return {};  // of a child that is not dumpable: what we may not see has not gone
  std::vector<Mapping> before = std::exchange(mappings_, {}), code;
  has_uprobes_ = false;
  for (Mapping& mapping : read_mappings_of(maps, is_object_or_code)) {
    if (mapping.executable) code.push_back(mapping);
    if (mapping.path.starts_with(kUprobesPath)) has_uprobes_ = true;
    if (is_object(mapping)) mappings_.push_back(std::move(mapping));
  }
  scanned_ = true;
  unwinder_.forget();
  const auto only_in = [](const std::vector<Mapping>& one, const std::vector<Mapping>& other) {
    std::vector<Mapping> result;
    for (const Mapping& mapping : one)
      if (mapping.executable && std::ranges::find(other, mapping) == other.end()) result.push_back(mapping);
    return result;
  };
  const std::vector<Mapping> gone = only_in(before, mappings_), fresh = only_in(mappings_, before);
  for (const Mapping& mapping : gone) forget_sites(mapping);
  forget_slots(gone, code);
  for (const Mapping& mapping : fresh) add_slots(mapping);
  return fresh;
}

/// Slots of text that is not executable any more. The others of a mapping that has changed may contain anything now.
void AddressSpace::forget_slots(const std::vector<Mapping>& gone, const std::vector<Mapping>& code) {
  const auto in = [](const std::vector<Mapping>& mappings, uint64_t address) {
    return std::ranges::any_of(mappings, [address](const Mapping& m) { return address >= m.start && address < m.end; });
  };
  for (auto at = slots_.begin(); at != slots_.end() && !gone.empty();) {
    const bool idle = at->second.users == 0;
    if (idle && in(gone, at->first)) at->second.site = 0;
    at = idle && !in(code, at->first) ? slots_.erase(at) : std::next(at);
  }
}

/// r_brk of the r_debug that DT_DEBUG points to; 0: there is none, or the dynamic linker has not set it yet.
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
  static thread_local ElfCache files;
  MapEntry entry{base->start,
                 base->end,
                 base->offset,
                 base->executable,
                 false,
                 base->path,
                 {base->major, base->minor, base->inode}};
  entry.deleted = take_deleted_mark(entry.path);
  const auto file = files.open(path_to_open(static_cast<uint32_t>(pid_), entry));
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
  if (awaits_program()) return false;
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
