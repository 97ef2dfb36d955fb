// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/guard/describe.h"

#include <fcntl.h>
#include <unistd.h>

#include "runtime/base/unique_fd.h"
#include "runtime/guard/arch.h"
#include "runtime/process/served_files.h"

namespace sonde::guard {
namespace {

const char* passed(const Instruction& instruction) {
  switch (instruction.how()) {
    case Instruction::How::Impossible: return "no breakpoint can be here";
    case Instruction::How::Slot: return "stepped";
    default: return "emulated";
  }
}

const char* meaning(const sonde_leave& leave) {
  switch (leave.how) {
    case SONDE_LEAVE_JUMP: return "; a tail call";
    case SONDE_LEAVE_JUMP_IF: return "; a tail call where its condition holds, else it only costs a stop, some 5 us";
    case SONDE_LEAVE_JUMP_OPERAND: return "; a tail call where it leads outside, else it only costs a stop, some 5 us";
    case SONDE_LEAVE_REENTER:
    case SONDE_LEAVE_REENTER_IF: return "; back to the first instruction, which is no entry";
    default: return "";
  }
}

bool has_site(sonde_tap_kind kind) {
  return kind == SONDE_TAP_USER_ENTRY || kind == SONDE_TAP_USER_RETURN || kind == SONDE_TAP_USER_OFFSET;
}

}  // namespace

std::string describe_site(const Tap& tap) {
  if (!has_site(tap.kind)) return {};
  uint8_t bytes[kInstructionMost];
  const std::string path = tap.path == SONDE_PATH_CODE ? "/proc/" + std::to_string(tap.pid) + "/mem"
                           : tap.inode != 0            ? path_of_copy({tap.major, tap.minor, tap.inode})
                                                       : tap.path;
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const ssize_t got = file ? pread(file.get(), bytes, sizeof bytes, static_cast<off_t>(tap.offset)) : -1;
  if (got <= 0) return "cannot be read";
  const auto length = static_cast<size_t>(got);
  return instruction_text(bytes, length) + ": " + passed(Instruction(0, bytes, length)) + meaning(tap.leave);
}

}  // namespace sonde::guard
