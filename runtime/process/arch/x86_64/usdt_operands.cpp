// SPDX-License-Identifier: GPL-3.0-or-later
// Operands in AT&T's syntax, as compilers write them for arguments of USDT probes
//
//   %eax  %ah  %r9d  %xmm3                     registers
//   $-5  $sym                                  numbers, and addresses
//   -24(%rbp)  (%rax,%rcx,8)  (,%rcx,8)        memory
//   sym(%rip)  4+sym(%rip)  sym+4(%rip)        the same, from the program counter
//   sym@GOTPCREL(%rip)                         the address of sym: the linker's table has it
//   %fs:sym@tpoff  %fs:8(%rax)                 the thread's own memory
#include <array>
#include <charconv>
#include <limits>

#include "runtime/process/usdt_arguments.h"

namespace sonde {
namespace {

constexpr uint8_t kProgramCounter = 16;  // DWARF's number

struct NamedRegister {
  std::string_view name;
  uint8_t number;    ///< DWARF's
  uint8_t byte = 0;  ///< the first byte that the name stands for
};

constexpr NamedRegister kRegisters[] = {{"rax", 0},
                                        {"eax", 0},
                                        {"ax", 0},
                                        {"al", 0},
                                        {"ah", 0, 1},
                                        {"rdx", 1},
                                        {"edx", 1},
                                        {"dx", 1},
                                        {"dl", 1},
                                        {"dh", 1, 1},
                                        {"rcx", 2},
                                        {"ecx", 2},
                                        {"cx", 2},
                                        {"cl", 2},
                                        {"ch", 2, 1},
                                        {"rbx", 3},
                                        {"ebx", 3},
                                        {"bx", 3},
                                        {"bl", 3},
                                        {"bh", 3, 1},
                                        {"rsi", 4},
                                        {"esi", 4},
                                        {"si", 4},
                                        {"sil", 4},
                                        {"rdi", 5},
                                        {"edi", 5},
                                        {"di", 5},
                                        {"dil", 5},
                                        {"rbp", 6},
                                        {"ebp", 6},
                                        {"bp", 6},
                                        {"bpl", 6},
                                        {"rsp", 7},
                                        {"esp", 7},
                                        {"sp", 7},
                                        {"spl", 7},
                                        {"rip", kProgramCounter}};

std::optional<NamedRegister> numbered(std::string_view name) {
  if (!name.starts_with('r') || name.size() < 2) return std::nullopt;
  name.remove_prefix(1);
  uint8_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const std::string_view width(end, static_cast<size_t>(name.data() + name.size() - end));
  const bool right = error == std::errc() && number >= 8 && number <= 15 &&
                     (width.empty() || width == "d" || width == "w" || width == "b" || width == "l");
  return right ? std::optional(NamedRegister{"", number}) : std::nullopt;
}

/// Of "%eax".
std::optional<NamedRegister> register_of(std::string_view text) {
  if (!text.starts_with('%')) return std::nullopt;
  text.remove_prefix(1);
  for (const NamedRegister& one : kRegisters)
    if (one.name == text) return one;
  return numbered(text);
}

std::optional<uint8_t> vector_of(std::string_view text) {
  if (!text.starts_with("%xmm")) return std::nullopt;
  uint8_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + 4, text.data() + text.size(), number);
  const bool right = error == std::errc() && end == text.data() + text.size() && number < SONDE_LOCATION_VECTORS;
  return right ? std::optional(number) : std::nullopt;
}

/// A sum of numbers and at most one name: "4+sym", "sym-8", "-24", "0x10".
struct Sum {
  uint64_t number = 0;
  std::string_view name;
};

bool is_number(std::string_view term) { return !term.empty() && term[0] >= '0' && term[0] <= '9'; }

std::optional<uint64_t> number_of(std::string_view term) {
  int base = 10;
  if (term.starts_with("0x") || term.starts_with("0X")) {
    base = 16;
    term.remove_prefix(2);
  }
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(term.data(), term.data() + term.size(), value, base);
  return error == std::errc() && end == term.data() + term.size() ? std::optional(value) : std::nullopt;
}

std::optional<Sum> sum_of(std::string_view text) {
  Sum sum;
  while (!text.empty()) {
    const bool minus = text[0] == '-';
    if (minus || text[0] == '+') text.remove_prefix(1);
    const size_t end = std::min(text.find_first_of("+-"), text.size());
    const std::string_view term = text.substr(0, end);
    text.remove_prefix(end);
    if (is_number(term)) {
      const auto value = number_of(term);
      if (!value) return std::nullopt;
      sum.number += minus ? 0 - *value : *value;
    } else {
      if (term.empty() || minus || !sum.name.empty()) return std::nullopt;
      sum.name = term;
    }
  }
  return sum;
}

OperandPlace none(std::string why) { return {{}, std::move(why)}; }

OperandPlace not_understood(std::string_view operand) {
  return none("the operand " + std::string(operand) + " is of no form that is known");
}

std::string why_no_symbol(std::string_view name) {
  if (name.starts_with(".L")) return std::string(name) + " is a label of the assembler's, which no table has";
  return "the file has no symbol " + std::string(name) + ", or several of that name";
}

/// "(%rax,%rcx,8)" without the brackets.
struct Address {
  std::string_view base, index;
  uint8_t scale = 1;
};

std::optional<Address> address_of(std::string_view text) {
  Address found;
  const size_t first = std::min(text.find(','), text.size());
  found.base = text.substr(0, first);
  if (first == text.size()) return found;
  text.remove_prefix(first + 1);
  const size_t second = std::min(text.find(','), text.size());
  found.index = text.substr(0, second);
  if (second == text.size()) return found;
  const auto scale = number_of(text.substr(second + 1));
  if (!scale || (*scale != 1 && *scale != 2 && *scale != 4 && *scale != 8)) return std::nullopt;
  found.scale = static_cast<uint8_t>(*scale);
  return found;
}

constexpr std::string_view kFromTable = "@GOTPCREL", kFromTableAlso = "@GOTPCRELX", kInThread = "@tpoff";

bool take_ending(std::string_view& text, std::string_view ending) {
  if (!text.ends_with(ending)) return false;
  text.remove_suffix(ending.size());
  return true;
}

/// What `sum` adds to a place whose other parts `part` has already.
OperandPlace add(sonde_location part, const Sum& sum, const UsdtPlace& place) {
  part.value = static_cast<int64_t>(sum.number);
  if (sum.name.empty()) {
    if (part.base != kProgramCounter) return {part, ""};
    return none("it is at a distance from the instruction that only the assembler knew");
  }
  const auto symbol = place.symbol(sum.name);
  if (!symbol) return none(why_no_symbol(sum.name));
  if (symbol->in_thread != ((part.flags & SONDE_LOCATION_THREAD) != 0))
    return none(std::string(sum.name) + " is a variable of each thread, and its operand is another one's");
  part.value += static_cast<int64_t>(symbol->value);
  if (symbol->in_thread) return {part, ""};
  if (part.base == SONDE_NO_REGISTER) part.base = kProgramCounter;
  if (part.base == kProgramCounter)
    part.value -= static_cast<int64_t>(place.address);
  else if (!place.position_is_fixed)
    return none(std::string(sum.name) + " is added to a register, though the program may run at any address");
  return {part, ""};
}

OperandPlace memory(std::string_view operand, const UsdtPlace& place) {
  sonde_location part{.kind = SONDE_LOCATION_MEMORY, .base = SONDE_NO_REGISTER, .index = SONDE_NO_REGISTER, .scale = 1};
  std::string_view text = operand;
  if (text.starts_with("%fs:")) {
    part.flags = SONDE_LOCATION_THREAD;
    text.remove_prefix(4);
  }
  const size_t open = text.find('(');
  std::string_view sum_text = text.substr(0, open);
  if (open != text.npos) {
    if (!text.ends_with(')')) return not_understood(operand);
    const auto address = address_of(text.substr(open + 1, text.size() - open - 2));
    if (!address) return not_understood(operand);
    for (const auto& [name, to] : {std::pair(address->base, &part.base), std::pair(address->index, &part.index)}) {
      if (name.empty()) continue;
      const auto found = register_of(name);
      if (!found) return not_understood(operand);
      *to = found->number;
    }
    if (part.index == kProgramCounter) return not_understood(operand);
    part.scale = address->scale;
  }
  if (take_ending(sum_text, kFromTable) || take_ending(sum_text, kFromTableAlso)) part.kind = SONDE_LOCATION_ADDRESS;
  if (take_ending(sum_text, kInThread) && (part.flags & SONDE_LOCATION_THREAD) == 0) return not_understood(operand);
  const auto sum = sum_of(sum_text);
  if (!sum || (open == text.npos && sum_text.empty())) return not_understood(operand);
  return add(part, *sum, place);
}

OperandPlace constant(std::string_view operand, const UsdtPlace& place) {
  const auto sum = sum_of(operand.substr(1));
  if (!sum || operand.size() == 1) return not_understood(operand);
  sonde_location part{
      .kind = SONDE_LOCATION_CONSTANT, .base = SONDE_NO_REGISTER, .index = SONDE_NO_REGISTER, .scale = 1};
  if (!sum->name.empty()) part.kind = SONDE_LOCATION_ADDRESS;
  return add(part, *sum, place);
}

}  // namespace

OperandPlace place_of_operand(std::string_view operand, uint32_t size, const UsdtPlace& place) {
  if (operand.starts_with('$')) return constant(operand, place);
  if (const auto vector = vector_of(operand)) {
    if (size > SONDE_VECTOR_BYTES) return none("it has more bytes than the register");
    return {{.kind = SONDE_LOCATION_VECTOR, .base = *vector, .index = SONDE_NO_REGISTER, .scale = 1}, ""};
  }
  if (const auto found = register_of(operand)) {
    if (size <= 8 && found->byte + size > 8) return none("it has more bytes than the register");
    return {{.kind = SONDE_LOCATION_REGISTER,
             .base = found->number,
             .index = SONDE_NO_REGISTER,
             .scale = 1,
             .value = found->byte},
            ""};
  }
  if (operand.starts_with('%') && !operand.starts_with("%fs:")) return not_understood(operand);
  return memory(operand, place);
}

}  // namespace sonde
