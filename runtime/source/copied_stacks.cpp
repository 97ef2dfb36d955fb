// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/source/copied_stacks.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/base/procfs.h"
#include "runtime/process/proc_maps.h"

namespace sonde {
namespace {

constexpr size_t kMostFiles = 512;  ///< that are remembered

bool read_process(uint32_t pid, uint64_t address, void* to, size_t length) {
  const iovec here{to, length}, there{reinterpret_cast<void*>(address), length};
  return process_vm_readv(static_cast<pid_t>(pid), &here, 1, &there, 1, 0) == static_cast<ssize_t>(length);
}

/// struct pt_regs is the beginning of what ptrace calls registers.
machine::Registers registers_of(const pt_regs& sampled) {
  machine::Registers registers{};
  static_assert(sizeof sampled <= sizeof registers && offsetof(machine::Registers, ss) == offsetof(pt_regs, ss));
  std::memcpy(&registers, &sampled, sizeof sampled);
  return registers;
}

/// A piece of a stack.
struct Piece {
  uint64_t start;
  std::span<const uint8_t> bytes;

  bool holds(uint64_t address, size_t length) const {
    return address >= start && address - start <= bytes.size() && length <= bytes.size() - (address - start);
  }
  /// Of memory that was read later: puts in place what the piece has of it.
  void put_over(uint64_t address, void* to, size_t length) const {
    const uint64_t from = std::max(address, start), end = std::min(address + length, start + bytes.size());
    if (from < end)
      std::memcpy(static_cast<uint8_t*>(to) + (from - address), bytes.data() + (from - start), end - from);
  }
};

}  // namespace

void CopiedStacks::finish(sonde_record& record, std::span<const uint8_t> kinds) {
  record.flags &= static_cast<uint16_t>(~SONDE_RECORD_STACKS_COPIED);
  if (record.slots != kinds.size()) return;  // of a predicate that faulted
  for (uint32_t slot = 0; slot < record.slots; slot++) {
    const uint32_t offset = SONDE_SPAN_OFFSET(record.slot[slot]), length = SONDE_SPAN_LENGTH(record.slot[slot]);
    if (kinds[slot] != SONDE_SLOT_STACK || (record.faults >> slot & 1) != 0) continue;
    if (length < sizeof(sonde_copied_stack) || offset > record.size || length > record.size - offset) continue;
    auto* bytes = reinterpret_cast<uint8_t*>(&record) + offset;
    const auto& copied = *reinterpret_cast<const sonde_copied_stack*>(bytes);
    const uint32_t count = walk(record, copied, {bytes + sizeof copied, length - sizeof copied});
    std::memcpy(bytes, frames_.data(), count * sizeof(uint64_t));
    record.slot[slot] = SONDE_SPAN(offset, count * sizeof(uint64_t));
  }
}

MappingHistory& CopiedStacks::keep_history() { return history_ ? *history_ : history_.emplace(); }

/// For a record of `time`.
CopiedStacks::Process& CopiedStacks::process_of(uint32_t pid, uint64_t program, Nanoseconds time) {
  const std::pair key{pid, program};
  if (const auto known = processes_.find(key); known != processes_.end()) return known->second;
  if (history_) history_->forget_before(time);
  if (processes_.size() >= many_) {
    forget_ended(time);
    many_ = std::max(2 * processes_.size(), kFew);
  }
  return processes_.try_emplace(key, pid).first->second;
}

void CopiedStacks::forget_ended(Nanoseconds time) {
  for (auto& [key, process] : processes_)
    if (!process.absent && has_ended(key.first)) process.absent = monotonic_now();
  std::erase_if(processes_, [&](const auto& entry) {
    const auto& [key, process] = entry;
    return (process.absent && *process.absent < time) || (history_ && !history_->knows(key.first, key.second));
  });
}

/// Returns the number of frames, which are in frames_; at most as many as the copy has room for. Says in the record's flags
/// what the stack lacks, if the process could be read, and the walk needed no more of the stack than was copied.
uint32_t CopiedStacks::walk(sonde_record& record, const sonde_copied_stack& copied, std::span<const uint8_t> stack) {
  const machine::Registers registers = registers_of(copied.registers);
  const auto room = static_cast<uint32_t>((sizeof copied + stack.size()) / sizeof(uint64_t));
  frames_.resize(std::min({copied.frames, room, SONDE_DIF_MAX_FRAMES}));
  if (frames_.empty()) return 0;
  if (!machine::is_native(registers)) return frames_[0] = machine::pc(registers), 1;
  const auto program = history_ ? history_->at(record.pid, Nanoseconds(record.timestamp)) : MappingHistory::Program();
  Process& process = process_of(record.pid, program.number, Nanoseconds(record.timestamp));
  const bool first = !std::exchange(process.looked, true);
  // Before the walk: the process may end meanwhile, and files have the rest.
  if (program.is_past ? process.of_past != program.mappings : first) look(record, process, program);
  const Piece piece{machine::sp(registers) & ~uint64_t{7}, stack};
  bool gone = program.is_past;
  const guard::ReadMemory read = [&](uint64_t address, void* to, size_t length) {
    if (piece.holds(address, length)) return piece.put_over(address, to, length), true;
    if (program.is_past || !read_process(record.pid, address, to, length)) {
      gone = gone || errno == ESRCH;
      return read_file(process, address, to, length);
    }
    piece.put_over(address, to, length);
    return true;
  };
  const uint32_t count = process.unwinder.walk(guard::frame_registers(registers), copied.at_edge != 0, read,
                                               frames_.data(), static_cast<uint32_t>(frames_.size()));
  if (!gone && process.unwinder.reached() <= piece.start + stack.size())
    record.flags |= static_cast<uint16_t>(process.unwinder.lacks());
  if (note_mappings(record, process) && !first && !program.is_past) look(record, process, program);
  return count;
}

/// A program that has gone keeps what was seen while it ran, if the history does not know it.
void CopiedStacks::look(const sonde_record& record, Process& process, const MappingHistory::Program& program) {
  std::vector<guard::Mapping> objects;
  if (program.is_past)
    process.of_past = program.mappings;
  else
    objects = guard::read_mappings(static_cast<pid_t>(record.pid));
  const bool ended = objects.empty();
  if (ended && history_) objects = history_->objects_at(record.pid, Nanoseconds(record.timestamp));
  if (objects.empty() || objects == process.objects) return;
  process.objects = std::move(objects);
  if (ended) process.unwinder.assume(process.objects);
}

/// What walks have found out about the process's memory. Returns whether that is anything new.
bool CopiedStacks::note_mappings(const sonde_record& record, Process& process) {
  const std::vector<guard::Mapping> fresh = process.unwinder.take_files(static_cast<pid_t>(record.pid));
  for (const guard::Mapping& one : fresh)
    seen_.push_back({{record.pid, Nanoseconds(record.timestamp), one.start, one.end - one.start, one.offset, one.major,
                      one.minor, one.inode, one.path, nullptr},
                     false});
  return !fresh.empty();
}

/// From the file that is mapped there, for a process that has ended. Only what is not written to is the same there.
bool CopiedStacks::read_file(const Process& process, uint64_t address, void* to, size_t length) {
  for (const guard::Mapping& one : process.objects) {
    if (address < one.start || address >= one.end) continue;
    if (length > one.end - address || one.path.empty() || one.path[0] != '/') return false;
    if (files_.size() >= kMostFiles) files_.clear();
    const std::pair key{uint64_t{one.major} << 32 | one.minor, one.inode};
    auto [file, is_new] = files_.try_emplace(key);
    if (is_new && leads_to(one.path, {one.major, one.minor, one.inode}))
      file->second.reset(open(one.path.c_str(), O_RDONLY | O_CLOEXEC));
    const auto at = static_cast<off_t>(address - one.start + one.offset);
    return file->second && pread(file->second.get(), to, length, at) == static_cast<ssize_t>(length);
  }
  return false;
}

std::optional<MappingSeen> CopiedStacks::take_mapping() {
  if (seen_.empty()) return std::nullopt;
  MappingSeen first = std::move(seen_.front());
  seen_.pop_front();
  return first;
}

}  // namespace sonde
