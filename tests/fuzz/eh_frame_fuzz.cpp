// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Takes any bytes as a process: an object with frame information, and a stack
 *
 *   input:  flags  steps(2)  length-of-CIE  length-of-FDE  damages  CIE  FDE  damages(3)...  registers and stack...
 *
 * Random bytes are nearly always instructions, but hardly ever an ELF file. So the object is valid, its CIE and FDEs
 * have the instructions of the input, and then some of its bytes are changed. Each piece of memory is a heap block of
 * exactly its size. The stack is walked from any function's pc.
 */
#include <elf.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "kmod/shared/eh_frame.h"
#include "tests/fuzz/require.h"

namespace {

enum InputFlags : uint8_t { kWideAddresses = 1, kAtEntry = 2, kSignal = 4, kStackInTables = 8, kExpressions = 16 };
constexpr uint64_t kBase = 0x7f0000000000, kText = 0x800, kHeader = 0x100, kFrames = 0x180, kStack = 0x7ffd00000000;
constexpr uint32_t kMax = 64, kFunctions = 12;

using Bytes = std::vector<uint8_t>;

void put(Bytes& to, uint64_t value, size_t bytes) {
  for (size_t n = 0; n < bytes; n++) to.push_back(static_cast<uint8_t>(value >> 8 * n));
}

void put(Bytes& to, std::span<const uint8_t> bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }

std::span<const uint8_t> take(std::span<const uint8_t>& bytes, size_t n) {
  const auto taken = bytes.first(std::min(n, bytes.size()));
  bytes = bytes.subspan(taken.size());
  return taken;
}

/// A heap block of exactly its size, at some address of the process.
struct Piece {
  uint64_t address;
  size_t size;
  std::unique_ptr<uint8_t[]> bytes;

  Piece(uint64_t at, std::span<const uint8_t> from) : address(at), size(from.size()), bytes(new uint8_t[from.size()]) {
    std::copy(from.begin(), from.end(), bytes.get());
  }
  bool read(uint64_t from, void* to, uint32_t length) const {
    if (from - address > size || length > size - (from - address)) return false;
    std::memcpy(to, bytes.get() + (from - address), length);
    return true;
  }
};

struct Process {
  Piece object, stack;
  sonde_cfi cfi{};
  sonde_cfi_table table{};
  bool opened = false;

  static Process& of(void* context) { return *static_cast<Process*>(context); }
  static int read_table(void* context, uint64_t address, void* to, uint32_t length) {
    REQUIRE(length <= SONDE_CFI_WINDOW);
    return of(context).object.read(address, to, length) ? 0 : -1;
  }
  static int read_stack(void* context, uint64_t address, void* to, uint32_t length) {
    REQUIRE(length <= 8);
    const Process& process = of(context);
    return process.stack.read(address, to, length) || process.object.read(address, to, length) ? 0 : -1;
  }
  static int is_code(void* context, uint64_t pc) { return pc - of(context).object.address < of(context).object.size; }
  static const sonde_cfi_row* row(void* context, uint64_t pc, uint64_t* header) {
    Process& process = of(context);
    uint64_t fde = 0;
    if (!process.opened) process.opened = sonde_cfi_open(&process.cfi, kBase, pc, &process.table) == 0;
    if (sonde_cfi_find(&process.cfi, &process.table, pc, &fde) != 0) return nullptr;
    *header = process.table.header;
    if (sonde_cfi_row_at(&process.cfi, process.table.header, fde, pc) != 0) return nullptr;
    const sonde_cfi_row& made = process.cfi.row;
    REQUIRE(made.cfa_register < SONDE_CFI_REGISTERS && made.return_register < SONDE_CFI_REGISTERS);
    REQUIRE(process.cfi.kept_count <= SONDE_CFI_REMEMBERED);
    for (uint8_t kind : made.kinds) REQUIRE(kind <= SONDE_CFI_IS_EXPRESSION);
    return &made;
  }
};

constexpr sonde_cfi_env kEnv = {Process::read_table, Process::read_stack, Process::is_code, Process::row};

void put_entry(Bytes& to, const Bytes& content) {
  put(to, content.size(), 4);
  put(to, content);
}

/// Rules with expressions, for the CFA and for a register: each byte that is not an operation becomes one, and operands
/// exist.
Bytes expressions_of(std::span<const uint8_t> bytes) {
  constexpr uint8_t kOperations[] = {0x06, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x10, 0x11, 0x12,
                                     0x13, 0x1a, 0x1c, 0x1e, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27,
                                     0x29, 0x2a, 0x2b, 0x2c, 0x2d, 0x2e, 0x92, 0x94, 0x96};
  Bytes expression = {0x77, 8, 0x32, 0x34, 0x73, 0};  // breg7 + 8, lit2, lit4, breg3
  for (uint8_t byte : bytes.first(std::min<size_t>(bytes.size(), 100)))
    expression.push_back((byte & 0xf0) == 0x30 || (byte & 0xf0) == 0x70 ? byte
                                                                        : kOperations[byte % sizeof kOperations]);
  Bytes rules;
  for (const std::initializer_list<uint8_t> rule :
       {std::initializer_list<uint8_t>{0x0f}, {0x10, 3}, {0x16, SONDE_CFI_PC}}) {
    put(rules, Bytes(rule));
    rules.push_back(static_cast<uint8_t>(expression.size()));
    put(rules, expression);
  }
  return rules;
}

/// An object whose CIE and FDEs have these instructions, each FDE 16 bytes of code.
Bytes object_of(uint8_t flags, std::span<const uint8_t> of_cie, std::span<const uint8_t> of_fde) {
  Bytes frames, cie, header = {1, 0x1b, 0x03, 0x3b};
  put(cie, 0, 4);
  cie.push_back(1);
  for (char letter : {'z', 'R', flags & kSignal ? 'S' : '\0'}) cie.push_back(static_cast<uint8_t>(letter));
  if (flags & kSignal) cie.push_back(0);
  const uint8_t encoding = flags & kWideAddresses ? 0x1c : 0x1b;
  const size_t width = flags & kWideAddresses ? 8 : 4;
  put(cie, std::array<uint8_t, 5>{1, 0x78, SONDE_CFI_PC, 1, encoding});
  put(cie, of_cie);
  put_entry(frames, cie);
  put(header, kFrames - kHeader - 4, 4);
  put(header, kFunctions, 4);
  for (uint64_t n = 0; n < kFunctions; n++) {
    const uint64_t at = kFrames + frames.size(), code = kText + n * 16;
    put(header, code - kHeader, 4);
    put(header, at - kHeader, 4);
    Bytes fde;
    put(fde, at + 4 - kFrames, 4);
    put(fde, code - (at + 8), width);
    put(fde, 16, width);
    fde.push_back(0);
    put(fde, of_fde);
    put_entry(frames, fde);
  }
  Elf64_Ehdr elf = {};
  std::memcpy(elf.e_ident, ELFMAG, SELFMAG);
  elf.e_ident[EI_CLASS] = ELFCLASS64;
  elf.e_phoff = sizeof elf;
  elf.e_phentsize = sizeof(Elf64_Phdr);
  elf.e_phnum = 2;
  const Elf64_Phdr segments[] = {
      {PT_LOAD, PF_R | PF_X, 0, 0, 0, 0x1000, 0x1000, 0x1000},
      {PT_GNU_EH_FRAME, PF_R, kHeader, kHeader, 0, 12 + 8 * kFunctions, 12 + 8 * kFunctions, 4}};
  Bytes object(kFrames);
  std::memcpy(object.data(), &elf, sizeof elf);
  std::memcpy(object.data() + sizeof elf, segments, sizeof segments);
  std::ranges::copy(header, object.begin() + kHeader);
  put(object, frames);
  object.resize((object.size() + 4095) & ~size_t{4095});
  return object;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::span<const uint8_t> rest(data, size);
  uint8_t head[6] = {};
  std::ranges::copy(take(rest, sizeof head), head);
  const uint8_t flags = head[0];
  const auto of_cie = take(rest, head[3]), of_fde = take(rest, head[4]);
  const Bytes expressions = expressions_of(of_fde);
  Bytes object = object_of(flags, of_cie, flags & kExpressions ? std::span(expressions) : of_fde);
  for (uint32_t n = 0; n < head[5] % 8 && rest.size() >= 3; n++) {
    const auto damage = take(rest, 3);
    object[(damage[0] + 256u * damage[1]) % std::min<size_t>(object.size(), kFrames + 64)] = damage[2];
  }
  auto process = std::make_unique<Process>(Piece{kBase, object}, Piece{kStack, rest});

  const uint32_t steps = head[1] + 256u * head[2];
  sonde_cfi_begin(&process->cfi, &kEnv, process.get(), steps);
  uint64_t registers[SONDE_CFI_REGISTERS] = {};
  for (uint64_t n = 0; n < SONDE_CFI_REGISTERS; n++) {
    const uint64_t offset = n * 8 + (n < rest.size() ? rest[n] : 0);
    registers[n] = flags & kStackInTables && n % 2 ? kBase + offset : kStack + offset;
  }
  registers[SONDE_CFI_PC] = kBase + kText + registers[SONDE_CFI_PC] % (kFunctions * 16);
  std::unique_ptr<uint64_t[]> to(new uint64_t[kMax]);
  const uint32_t most = flags % kMax;
  const uint32_t count = sonde_cfi_walk(&process->cfi, registers, flags & kAtEntry, to.get(), most);
  REQUIRE(count <= most && (count > 0 || most == 0));
  REQUIRE(process->cfi.steps <= steps);

  sonde_cfi_begin(&process->cfi, &kEnv, process.get(), steps);
  for (uint64_t at = kBase + kFrames, code = 0, before = at; at - kBase < object.size(); before = at) {
    if (sonde_cfi_next(&process->cfi, kBase + kHeader, &at, &code) != 0) break;
    REQUIRE(at >= before + 8);
  }
  return 0;
}
