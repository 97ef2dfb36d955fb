// SPDX-License-Identifier: GPL-3.0-or-later
// x86-64 in ELF files: relocations, registers by DWARF number, code that is recognised by its bytes
#pragma once

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <span>

namespace sonde::machine {

inline constexpr int kElfMachine = EM_X86_64;
inline constexpr char kName[] = "x86-64";
/// Where systems keep the machine's libraries.
inline constexpr const char* kLibraryFolders[] = {"/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/local/lib"};
inline constexpr uint8_t kNop = 0x90;  ///< the instruction of a USDT probe's site

/// Types of relocations: of the object's own addresses, of an indirect function; by symbol: for calls, for data, for
/// any word.
inline constexpr uint32_t kRelative = R_X86_64_RELATIVE, kIndirect = R_X86_64_IRELATIVE;
inline constexpr uint32_t kJumpSlot = R_X86_64_JUMP_SLOT, kGlobalData = R_X86_64_GLOB_DAT, kWord = R_X86_64_64;

/// Its DWARF number.
inline constexpr unsigned kDwarfStackPointer = 7;
/// Bytes that a call pushes: at a function's first instruction, the CFA is the stack pointer plus this.
inline constexpr unsigned kCallBytes = 8;

inline constexpr size_t kSigreturnBytes = 9;
/// Whether it is the code that signal handlers return to (SA_RESTORER). Recognised by its bytes: most libraries are
/// stripped of its name.
inline bool is_sigreturn(std::span<const uint8_t> code) {
  constexpr uint8_t kLong[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};  // mov $15, %rax; syscall
  constexpr uint8_t kShort[] = {0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05};             // mov $15, %eax; syscall
  const auto begins = [code](std::span<const uint8_t> with) {
    return code.size() >= with.size() && std::equal(with.begin(), with.end(), code.begin());
  };
  return begins(kLong) || begins(kShort);
}

}  // namespace sonde::machine
