// SPDX-License-Identifier: GPL-3.0-or-later
// DIF as text. Operands are printed as the table in dif.h describes them, so a new instruction needs no code here:
//
//   0003  CAPSTR   s1, r2, 256
//   0004  JZ       r0, 0007
#include "compiler/dif/disassemble.h"

#include <cctype>
#include <cstdio>
#include <cstring>

#include "runtime/base/hex.h"

namespace sonde {
namespace {

std::string lower(const char* name) {
  std::string text = name;
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string quoted(const char* text) {
  std::string out = "\"";
  for (; *text; ++text) {
    if (std::isprint(static_cast<unsigned char>(*text)) && *text != '"' && *text != '\\') {
      out += *text;
      continue;
    }
    char escaped[8];
    std::snprintf(escaped, sizeof(escaped), "\\%03o", static_cast<unsigned char>(*text));
    out += escaped;
  }
  return out + "\"";
}

std::string number_in_pool(const FireProgram& program, int32_t at) {
  uint64_t number;
  std::memcpy(&number, program.pool.data() + at, sizeof(number));
  return hex(number);
}

std::string numbered(const char* prefix, uint32_t number, const char* suffix = "") {
  return prefix + std::to_string(number) + suffix;
}

std::string branch_target(size_t pc, int32_t distance) {
  char text[16];
  std::snprintf(text, sizeof(text), "%04zu", pc + 1 + static_cast<size_t>(distance));
  return text;
}

std::string operand(const FireProgram& program, size_t pc, char letter) {
  const sonde_dif_insn& in = program.insns[pc];
  auto i = static_cast<uint32_t>(in.i);
  switch (letter) {
    case 'd': return numbered("r", in.d);
    case 'a': return numbered("r", in.a);
    case 'b': return numbered("r", in.b);
    case 'S': return numbered("s", in.d);
    case 'P': return number_in_pool(program, in.i);
    case 'T': return quoted(reinterpret_cast<const char*>(program.pool.data()) + in.i);
    case 'J': return branch_target(pc, in.i);
    case 'V': return lower(sonde_dif_variable_name(i));
    case 'L': return numbered("this[", i, "]");
    case 'H': return numbered("self[", i, "]");
    case 'N': return numbered("arg", i);
  }
  return in.op == SONDE_DIF_CAPTEXT ? lower(sonde_dif_text_name(i)) : std::to_string(in.i);
}

}  // namespace

std::string disassemble(const FireProgram& program) {
  std::string out;
  for (size_t pc = 0; pc < program.insns.size(); ++pc) {
    const sonde_dif_insn& in = program.insns[pc];
    const char* operands = sonde_dif_op_operands(in.op);
    char line[64];
    std::snprintf(line, sizeof(line), *operands ? "%04zu  %-8s " : "%04zu  %s", pc, sonde_dif_op_name(in.op));
    out += line;
    for (const char* letter = operands; *letter; ++letter) {
      if (letter != operands) out += ", ";
      out += operand(program, pc, *letter);
    }
    out += '\n';
  }
  return out;
}

}  // namespace sonde
