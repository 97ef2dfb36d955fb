// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include "runtime/bpf/uprobe_form.h"

#include <array>

namespace sonde::bpf {
namespace {

constexpr uint8_t kOperandSize = 0x66, kLock = 0xf0, kRepeatNot = 0xf2, kRepeat = 0xf3;

bool is_barred_prefix(uint8_t byte) {
  return byte == 0x26 || byte == 0x2e || byte == 0x36 || byte == 0x3e || byte == kLock;  // es, cs, ss, ds
}

bool is_rex(uint8_t byte) { return (byte & 0xf0) == 0x40; }

/// Bytes behind a two-byte opcode with a modrm byte and no constant.
size_t operand_bytes(uint8_t modrm, uint8_t sib) {
  const int mode = modrm >> 6, base = modrm & 7;
  const bool has_sib = mode != 3 && base == 4;
  size_t bytes = has_sib ? 2 : 1;
  if (mode == 1) bytes += 1;
  if (mode == 2 || (mode == 0 && (base == 5 || (has_sib && (sib & 7) == 5)))) bytes += 4;
  return bytes;
}

}  // namespace

const char* name_of(UprobeForm form) {
  switch (form) {
    case UprobeForm::Push: return "a push";
    case UprobeForm::Branch: return "a jump or call";
    case UprobeForm::Nop: return "a 1-byte nop";
    case UprobeForm::LongNop: return "a 5-byte nop";
    case UprobeForm::Return: return "a ret";
    case UprobeForm::Stepped: return "an instruction that is stepped";
    case UprobeForm::Barred: return "an instruction with a segment or lock prefix";
  }
  return "";
}

UprobeForm uprobe_form(std::span<const uint8_t> text) {
  std::array<uint8_t, 24> bytes{};
  for (size_t n = 0; n < text.size() && n < kFormBytes; n++) bytes[n] = text[n];
  size_t at = 0;
  bool narrow = false;
  for (; at < 8; at++) {
    if (is_barred_prefix(bytes[at])) return UprobeForm::Barred;
    if (bytes[at] == kOperandSize) narrow = true;
    const bool prefix = bytes[at] == kOperandSize || bytes[at] == kRepeat || bytes[at] == kRepeatNot ||
                        bytes[at] == 0x64 || bytes[at] == 0x65 || bytes[at] == 0x67;
    if (!prefix) break;
  }
  if (is_rex(bytes[at])) at++;
  const uint8_t op = bytes[at];
  if ((op & 0xf8) == 0x50) return narrow ? UprobeForm::Stepped : UprobeForm::Push;
  if (op == 0x90) return at == 4 ? UprobeForm::LongNop : UprobeForm::Nop;
  if (op == 0xe8 || op == 0xe9 || op == 0xeb || (op & 0xf0) == 0x70) return UprobeForm::Branch;
  if (op == 0xc2 || op == 0xc3) return UprobeForm::Return;
  if (op != 0x0f) return UprobeForm::Stepped;
  const uint8_t second = bytes[at + 1];
  if ((second & 0xf0) == 0x80) return UprobeForm::Branch;
  const bool hint = second >= 0x18 && second <= 0x1f;
  return hint && at + 2 + operand_bytes(bytes[at + 2], bytes[at + 3]) == 5 ? UprobeForm::LongNop : UprobeForm::Stepped;
}

}  // namespace sonde::bpf
