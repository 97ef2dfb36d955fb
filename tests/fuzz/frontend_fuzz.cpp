// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Takes any bytes as a script
 *
 * Lexer, parser, checker, split, DIF verifier and code generator process it, as `sonde -e -s` does; nothing is run.
 * Each input is compiled twice in one session, as at the prompt: the second time, all its names are already known, or
 * nothing is left of them.
 */
#include <cstdint>
#include <span>
#include <string>

#include "compiler/compiler.h"
#include "providers/registry.h"
#include "runtime/framework/framework.h"

namespace {

using namespace sonde;

constexpr size_t kMaxWork = 1 << 20;  // bytes of diagnostics: a message quotes the script, but must not multiply it

Framework& framework() {
  static Framework& all = *[] {
    auto* made = new Framework(nullptr);
    register_providers();
    return made;
  }();
  return all;
}

void compile(Compiler& compiler, const SourceText& text) {
  MacroValues macros;
  macros.script_name = text.name;
  macros.arguments = {"7", "word", "-3"};
  auto compiled = compiler.compile(std::span(&text, 1), macros);
  if (!compiled && (compiled.error().message().empty() || compiled.error().message().size() > kMaxWork))
    __builtin_trap();
  if (!compiled) return;
  for (const CompiledText& one : *compiled) (void)compiler.disassembly(one);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  SourceText text{SourceText::Kind::Script, "fuzz.d", std::string(reinterpret_cast<const char*>(data), size)};
  BodyProgram program;
  Options options;
  Compiler compiler(program, framework(), options);
  compile(compiler, text);
  compile(compiler, text);
  return 0;
}
