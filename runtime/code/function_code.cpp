// SPDX-License-Identifier: GPL-3.0-or-later
//   extent --> part --> its jumps lead to cold parts: more parts --> check --> leaving instructions
//
// There are two different verdicts. `broken`: the code cannot be trusted, so it has at most an entry probe. `endless`:
// the code is known, but a way out of it is not, or there is none; its instructions can be probed, its return cannot.
//
// Invariant: a return probe that exists misses no return. An instruction that may leave, and cannot be judged, makes
// the function endless; it is never left out.
#include "runtime/code/function_code.h"

#include <algorithm>
#include <deque>
#include <optional>

#include "runtime/base/find.h"
#include "runtime/base/hex.h"
#include "runtime/code/instructions.h"

namespace sonde {
namespace {

using Flow = Instruction::Flow;

constexpr size_t kMaxParts = 8;
constexpr uint64_t kMostReach = 65536;

/// The function that a cold part belongs to: NAME for NAME.cold and NAME.cold.N; empty: not the name of a cold part.
std::string_view owner_of_cold(std::string_view name) {
  const size_t dot = name.rfind(".cold");
  if (dot == name.npos || dot == 0) return {};
  const std::string_view rest = name.substr(dot + 5);
  const bool numbered = rest.size() > 1 && rest[0] == '.' && rest.find_first_not_of("0123456789", 1) == rest.npos;
  return rest.empty() || numbered ? name.substr(0, dot) : std::string_view();
}

/// A contiguous piece of the function's code.
struct Part {
  uint64_t start = 0, end = 0;  ///< addresses as linked
  std::vector<uint8_t> bytes;
  std::vector<Instruction> instructions;

  bool holds(uint64_t address) const { return address >= start && address < end; }
  uint64_t target(const Instruction& branch) const { return start + static_cast<uint64_t>(branch.target); }
  /// The instruction that begins at `address`, or null.
  const Instruction* find(uint64_t address) const {
    const auto at = static_cast<uint32_t>(address - start);
    return find_sorted(instructions, at, &Instruction::at);
  }
  /// Whether `address` is behind the lock prefix of an instruction: older glibc jumps over the prefix in
  /// single-threaded processes.
  bool behind_lock(uint64_t address) const {
    const Instruction* before = address > start ? find(address - 1) : nullptr;
    return before != nullptr && before->locked;
  }
};

}  // namespace

/// The analysis of one function.
struct FunctionReader::Reading {
  FunctionReader& reader;
  const ElfFunction& function;
  FunctionCode out;
  std::deque<Part> parts;  ///< the function itself first

  void fail(std::string why) {
    if (out.broken.empty()) out.broken = std::move(why);
  }
  bool broken() const { return !out.broken.empty(); }
  const Part* part_of(uint64_t address) const {
    const auto found = std::ranges::find_if(parts, [&](const Part& part) { return part.holds(address); });
    return found == parts.end() ? nullptr : &*found;
  }
  std::string place(const Part& part, const Instruction& instruction) const {
    return hex(part.start + instruction.at - function.address);
  }

  void run() {
    const uint64_t size = out.size = reader.extent(function);
    if (size == 0) return fail("where it ends is not known: it has neither a size nor call frame information");
    add_part(function.address, function.address + size);
    for (size_t i = 0; i < parts.size() && !broken(); i++) find_cold_parts(parts[i]);
    for (const Part& part : parts)
      if (!broken()) check(part);
    if (broken()) return;
    for (const Part& part : parts) find_leaves(part);
    if (broken()) return;
    for (const Instruction& instruction : parts.front().instructions) {
      if (!instruction.locked || !is_target(parts.front().start + instruction.at + 1))
        out.instructions.push_back(instruction.at);
    }
    judge_ends();
    std::ranges::sort(out.leaves, {}, &CodePlace::offset);
  }

  void add_part(uint64_t start, uint64_t end) {
    Part& part = parts.emplace_back();
    part.start = start;
    part.end = end;
    const auto bytes = reader.code_.code(start, end - start);
    if (bytes.empty()) return fail("its code is not in the file");
    part.bytes.assign(bytes.begin(), bytes.end());
    part.instructions = decode(part.bytes);
    const uint32_t decoded = part.instructions.empty() ? 0 : part.instructions.back().end();
    if (decoded != bytes.size())
      fail("the bytes at " + hex(start + decoded - function.address) + " are no instruction");
  }

  void find_cold_parts(const Part& part) {
    for (const Instruction& branch : part.instructions) {
      if (branch.flow != Flow::Jump && branch.flow != Flow::JumpIf) continue;
      const uint64_t to = part.target(branch);
      if (part_of(to) != nullptr || parts.size() >= kMaxParts) continue;
      if (const auto cold = cold_part_at(part.start + branch.at, to)) add_part(cold->first, cold->second);
      if (broken()) return;
    }
  }

  /// The extent of the function's cold part, if the jump at `from` to `address` leads into one.
  std::optional<std::pair<uint64_t, uint64_t>> cold_part_at(uint64_t from, uint64_t address) const {
    const ElfFunction* symbol = reader.file_.at(address);
    if (symbol != nullptr) {
      const std::string_view owner = owner_of_cold(symbol->name);
      if (owner.empty() || symbol->size == 0 || !has_name(owner)) return std::nullopt;
      return std::pair(symbol->address, symbol->address + symbol->size);
    }
    const ElfCode::Frame* frame = reader.code_.frame_at(address);
    if (frame == nullptr || starts_function(frame->start)) return std::nullopt;
    // The CFA is the same at both ends of a jump inside a function. It differs for a jump into the linkage table, whose
    // FDE also begins there.
    ElfCode& code = reader.code_;
    const bool begins_framed = !code.stack_is_callers(frame->start);
    const bool same_stack = code.stack_is_callers(from) == code.stack_is_callers(address);
    if (!(begins_framed && same_stack) && !jumps_back(*frame)) return std::nullopt;
    return std::pair(frame->start, frame->end());
  }

  bool has_name(std::string_view name) const {
    const auto [first, last] =
        std::ranges::equal_range(reader.file_.functions(), function.address, {}, &ElfFunction::address);
    return std::any_of(first, last, [&](const ElfFunction& alias) { return alias.name == name; });
  }

  bool starts_function(uint64_t address) const {
    return find_sorted(reader.file_.functions(), address, &ElfFunction::address) != nullptr;
  }

  /// Whether the code of a frame without a symbol jumps back into the function, but not to its first instruction.
  bool jumps_back(const ElfCode::Frame& frame) const {
    return std::ranges::any_of(decode(reader.code_.code(frame.start, frame.size)), [&](const Instruction& branch) {
      if (branch.flow != Flow::Jump && branch.flow != Flow::JumpIf) return false;
      const uint64_t to = frame.start + static_cast<uint64_t>(branch.target);
      return to != function.address && part_of(to) != nullptr;
    });
  }

  /// Every branch target and landing pad inside the function must be the start of an instruction.
  void check(const Part& part) {
    for (const Instruction& branch : part.instructions) {
      if (!branch.has_target || begins(part.target(branch))) continue;
      return fail("the branch at " + place(part, branch) + " leads into the middle of an instruction");
    }
    const ElfCode::Frame* frame = reader.code_.frame_at(part.start);
    if (frame == nullptr) return;
    for (const uint64_t pad : reader.code_.landing_pads(*frame)) {
      if (!begins(pad))
        return fail("the landing pad at " + hex(pad - function.address) + " is in the middle of an instruction");
    }
  }

  bool begins(uint64_t address) const {
    const Part* part = part_of(address);
    return part == nullptr || part->find(address) != nullptr || part->behind_lock(address);
  }

  bool is_target(uint64_t address) const {
    return std::ranges::any_of(parts, [&](const Part& part) {
      return std::ranges::any_of(part.instructions, [&](const Instruction& branch) {
        return branch.has_target && part.target(branch) == address;
      });
    });
  }

  void find_leaves(const Part& part) {
    for (const Instruction& instruction : part.instructions) {
      switch (instruction.flow) {
        case Flow::Return: add(out.leaves, part, instruction, SONDE_LEAVE_RETURN); break;
        case Flow::Jump: add_jump(part, instruction, SONDE_LEAVE_JUMP, SONDE_LEAVE_REENTER); break;
        case Flow::JumpIf: add_jump(part, instruction, SONDE_LEAVE_JUMP_IF, SONDE_LEAVE_REENTER_IF); break;
        case Flow::JumpOperand: add_operand(part, instruction); break;
        case Flow::OddJumpIf:
          if (part_of(part.target(instruction)) == nullptr)
            out.endless =
                "the instruction at " + place(part, instruction) + " leaves it by a count, which is not judged";
          break;
        case Flow::On:
        case Flow::Call:
        case Flow::End: break;
      }
    }
  }

  void add_jump(const Part& part, const Instruction& jump, sonde_leave_how leaves, sonde_leave_how reenters) {
    const uint64_t to = part.target(jump);
    if (to == function.address)
      add(out.reenters, part, jump, reenters);
    else if (part_of(to) == nullptr && reader.code_.stack_is_callers(part.start + jump.at))
      add(out.leaves, part, jump, leaves);
  }

  void add_operand(const Part& part, const Instruction& jump) {
    if (!reader.code_.stack_is_callers(part.start + jump.at) || stays_inside(part, jump)) return;
    const sonde_leave leave = leave_by_operand(part.bytes, jump);
    if (leave.how != SONDE_LEAVE_NONE) return add_place(out.leaves, part, jump, leave);
    out.endless = "the jump at " + place(part, jump) + " has an operand that cannot be judged";
  }

  /// Whether the jump uses a table that can be read, and all of its targets are inside the function.
  bool stays_inside(const Part& part, const Instruction& jump) {
    const auto joins = [&](uint32_t at) { return is_target(part.start + at); };
    const auto at = static_cast<size_t>(&jump - part.instructions.data());
    const auto table = table_jump(part.bytes, part.start, part.instructions, at, joins);
    if (!table) return false;
    for (uint64_t i = 0; i < table->entries; i++) {
      uint64_t to = 0;
      int32_t offset = 0;
      if (table->pointers) {
        if (!reader.code_.read_pointer(table->table + 8 * i, to)) return false;
      } else {
        if (!reader.code_.read_constant(table->table + 4 * i, {reinterpret_cast<uint8_t*>(&offset), sizeof offset}))
          return false;
        to = table->table + static_cast<uint64_t>(int64_t{offset});
      }
      const Part* inside = part_of(to);
      if (inside == nullptr || to == function.address || inside->find(to) == nullptr) return false;
    }
    return true;
  }

  void add(std::vector<CodePlace>& to, const Part& part, const Instruction& instruction, sonde_leave_how how) {
    sonde_leave leave = {};
    leave.how = static_cast<uint8_t>(how);
    leave.length = instruction.length;
    if (instruction.flow == Flow::JumpIf) leave.condition = instruction.condition;
    add_place(to, part, instruction, leave);
  }

  void add_place(std::vector<CodePlace>& to, const Part& part, const Instruction& instruction, sonde_leave leave) {
    const uint64_t address = part.start + instruction.at;
    for (size_t i = 0; i < parts.size() && i < SONDE_LEAVE_PARTS; i++) {
      leave.parts[i].from = static_cast<int32_t>(parts[i].start - address);
      leave.parts[i].to = static_cast<int32_t>(parts[i].end - address);
    }
    CodePlace place{0, leave};
    if (!reader.file_.offset_of(address, place.offset)) return fail("its code is not in the file");
    to.push_back(place);
  }

  /// A function whose last instruction does not end it runs into the next one: that return cannot be detected.
  void judge_ends() {
    const auto& all = parts.front().instructions;
    const auto last = std::find_if(all.rbegin(), all.rend(), [](const Instruction& one) { return !one.nothing; });
    const bool runs_on = last != all.rend() && (last->flow == Flow::On || last->flow == Flow::JumpIf);
    if (!out.endless.empty()) return;
    if (runs_on)
      out.endless = "it runs on into the code behind it";
    else if (out.leaves.empty()) {
      out.endless = "it never returns";
      out.never_returns = true;
    }
  }
};

uint64_t FunctionReader::extent(const ElfFunction& function) const {
  if (function.size != 0) return function.size;
  const ElfCode::Frame* frame = code_.frame_at(function.address);
  if (frame != nullptr && frame->start == function.address) return frame->size;
  const auto next = std::ranges::upper_bound(file_.functions(), function.address, {}, &ElfFunction::address);
  const uint64_t limit = next == file_.functions().end() ? function.limit : std::min(next->address, function.limit);
  return limit > function.address ? reach(function.address, limit) : 0;
}

/// The size of the code at `start`, found by its branches: it ends with an instruction that does not continue, and past
/// which no branch leads. 0: there is no such instruction before `limit`, or a jump by an operand hides the targets.
uint64_t FunctionReader::reach(uint64_t start, uint64_t limit) const {
  const auto room = static_cast<int64_t>(std::min(limit - start, kMostReach));
  int64_t furthest = 0;
  for (const Instruction& one : decode(code_.code(start, static_cast<uint64_t>(room)))) {
    if (one.flow == Flow::JumpOperand) return 0;
    const bool branches = one.flow == Flow::Jump || one.flow == Flow::JumpIf || one.flow == Flow::OddJumpIf;
    if (branches && one.target < room) furthest = std::max(furthest, one.target);
    const bool ends = one.flow == Flow::Return || one.flow == Flow::Jump || one.flow == Flow::End;
    if (ends && one.end() > furthest) return one.end();
  }
  return 0;
}

FunctionCode FunctionReader::read(const ElfFunction& function) {
  Reading reading{*this, function, {}, {}};
  reading.run();
  if (reading.broken()) reading.out = {reading.out.size, std::move(reading.out.broken), {}, {}, {}, {}};
  if (!reading.out.endless.empty()) reading.out.leaves.clear();
  return std::move(reading.out);
}

// Jumps to a function's own start. Decoding a library takes a hundred times as long as searching its bytes for such
// jumps, so a function is decoded only if its bytes may contain one.

bool FunctionReader::may_reenter(const ElfFunction& function) {
  if (!jumps_found_) find_nameless_jumps();
  if (std::ranges::binary_search(jumped_to_, function.address)) return true;
  return may_jump_to_start(code_.code(function.address, extent(function)));
}

void FunctionReader::find_nameless_jumps() {
  jumps_found_ = true;
  for (const ElfFunction& function : file_.functions())
    if (!owner_of_cold(function.name).empty()) find_jumps(function.address, function.size);
  for (const ElfCode::Frame& frame : code_.frames())
    if (file_.at(frame.start) == nullptr) find_jumps(frame.start, frame.size);
  std::ranges::sort(jumped_to_);
}

void FunctionReader::find_jumps(uint64_t start, uint64_t size) {
  for_each_jump(code_.code(start, size), [&](int64_t target) {
    const uint64_t to = start + static_cast<uint64_t>(target);
    if (find_sorted(file_.functions(), to, &ElfFunction::address) != nullptr) jumped_to_.push_back(to);
  });
}

std::vector<CodePlace> FunctionReader::reenters(const ElfFunction& function) {
  return may_reenter(function) ? read(function).reenters : std::vector<CodePlace>();
}

}  // namespace sonde
