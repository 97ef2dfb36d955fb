// SPDX-License-Identifier: GPL-3.0-or-later
// Branches of DIF only go forward, so a label is a list of the branches that refer to it, and bind() fills in their
// distances. Constants of more than 32 bits and texts are in the program's pool, each once.
#include "compiler/dif/emitter.h"

#include <cstdio>

#include "runtime/base/check.h"
#include "runtime/base/find.h"

namespace sonde {

DifEmitter::DifEmitter(const FireProgram& program, size_t at)
    : program_(program), rest_at_(at), rest_(program.insns.begin() + static_cast<ptrdiff_t>(at), program.insns.end()) {
  program_.insns.resize(at);
}

/// Branches over what was emitted become longer.
void DifEmitter::append_rest() {
  const auto added = static_cast<int32_t>(length() - rest_at_);
  for (size_t from = 0; from < rest_at_; ++from) {
    sonde_dif_insn& insn = program_.insns[from];
    const bool branches = insn.op == SONDE_DIF_JMP || insn.op == SONDE_DIF_JZ || insn.op == SONDE_DIF_JNZ;
    if (branches && from + 1 + static_cast<size_t>(insn.i) > rest_at_) insn.i += added;
  }
  program_.insns.insert(program_.insns.end(), rest_.begin(), rest_.end());
}

void DifEmitter::op(sonde_dif_op op, uint32_t d, uint32_t a, uint32_t b, int32_t i) {
  program_.insns.push_back(
      {static_cast<uint8_t>(op), static_cast<uint8_t>(d), static_cast<uint8_t>(a), static_cast<uint8_t>(b), i});
}

void DifEmitter::constant(uint32_t d, uint64_t value) {
  if (static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(value))) == value) {
    op(SONDE_DIF_LI, d, 0, 0, static_cast<int32_t>(value));
    return;
  }
  auto [at, is_new] = numbers_.try_emplace(value, static_cast<int32_t>(program_.pool.size()));
  if (is_new) {
    auto bytes = reinterpret_cast<const uint8_t*>(&value);
    program_.pool.insert(program_.pool.end(), bytes, bytes + sizeof(value));
  }
  op(SONDE_DIF_LC, d, 0, 0, at->second);
}

int32_t DifEmitter::text(std::string_view text) {
  text = text.substr(0, text.find('\0'));
  if (const auto* known = find_in(texts_, text)) return *known;
  auto offset = static_cast<int32_t>(program_.pool.size());
  program_.pool.insert(program_.pool.end(), text.begin(), text.end());
  program_.pool.push_back(0);
  texts_.emplace(text, offset);
  return offset;
}

uint32_t DifEmitter::add_slot(sonde_slot_kind kind) {
  SONDE_CHECK(slots() < SONDE_MAX_SLOTS);
  program_.kinds.push_back(static_cast<uint8_t>(kind));
  return slots() - 1;
}

DifEmitter::Label DifEmitter::label() {
  waiting_.emplace_back();
  return static_cast<Label>(waiting_.size() - 1);
}

void DifEmitter::branch(sonde_dif_op what, Label to, uint32_t a) {
  waiting_[to].push_back(length());
  op(what, 0, a);
}

void DifEmitter::bind(Label label) {
  for (size_t from : waiting_[label]) program_.insns[from].i = static_cast<int32_t>(length() - from - 1);
  waiting_[label].clear();
}

FireProgram DifEmitter::finish_for_sources() {
  append_rest();
  return std::move(program_);
}

FireProgram DifEmitter::finish() {
  append_rest();
  sonde_dif_program view = program_.view();
  char why[256];
  int error = sonde_dif_verify(&view, why, sizeof(why));
  if (error) std::fprintf(stderr, "sonde: fire part refused: %s\n", why);
  SONDE_CHECK(error == 0);
  program_.record_max = view.record_max;
  return std::move(program_);
}

}  // namespace sonde
