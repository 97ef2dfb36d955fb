// SPDX-License-Identifier: GPL-3.0-or-later
// The frame of a body, and how it calls the runtime
//
// What is loaded once must hold wherever it is used. Fields of the context and of the record's header are loaded at the
// start, wherever they are first used. A slot is fetched at its first use, so its value is reused only if that is outside
// of every conditional (conditional_depth_ is 0).
//
// A helper that may fail leaves its fault in the context. After each such call leave_on_fault() jumps to the exit.
#include "compiler/codegen/codegen.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "compiler/types/arithmetic.h"

namespace sonde {
namespace {

constexpr size_t kTextPiece = 64 * 1024;
constexpr size_t kTextSlack = 64;

/// Never freed: the runtime has noted where constants are. Zeros of the kernel's, which cost nothing until they are used.
char* new_piece(size_t size) {
  void* piece = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (piece == MAP_FAILED) throw std::bad_alloc();
  return static_cast<char*>(piece);
}

bool has_code(const std::vector<LoweredStatement>& statements, const SplitClause& clause) {
  return std::ranges::any_of(statements, [&](const LoweredStatement& statement) {
    return statement.is_if || !clause.done_at_fire.contains(statement.expression.get());
  });
}

}  // namespace

std::pair<const char*, std::span<const char>> TextPool::intern(const std::string& text) {
  if (auto found = known_.find(text); found != known_.end()) return {found->second, {}};
  std::span<const char> added;
  size_t needed = text.size() + 1;
  if (needed > size_ - used_) {
    size_ = std::max(kTextPiece, needed + kTextSlack);
    used_ = 0;
    piece_ = new_piece(size_);
    added = {piece_, size_};
  }
  char* at = piece_ + used_;
  std::memcpy(at, text.c_str(), needed);
  used_ += needed;
  known_.emplace(std::string_view(at, text.size()), at);
  return {at, added};
}

bool needs_code(const SplitClause& clause) {
  return !clause.body_predicates.empty() || has_code(clause.clause->statements, clause);
}

BodyCode BodyCodegen::generate() {
  predicates();
  statements(clause_->clause->statements);
  code_.bind(exit_);
  code_.leave(1);
  code_.bind(false_);
  code_.leave(0);
  return code_.finish();
}

BodyCodegen::Value BodyCodegen::field(uint64_t offset) {
  Value& known = fields_[offset];
  if (!known) known = code_.load_at_start(code_.context(), offset, sizeof(void*), false);
  return known;
}

BodyCodegen::Value BodyCodegen::header_field(uint64_t offset, uint64_t size, bool is_signed) {
  const Value record = field(offsetof(BodyContext, record));
  Value& known = header_[offset];
  if (!known) known = code_.load_at_start(record, offset, size, is_signed);
  return known;
}

BodyCodegen::Value BodyCodegen::narrow(Value value, const Type& type) {
  if (!is_narrow(type) || !value) return value;
  return code_.extend(value, type.size, extends_sign(type));
}

// ---- calls -----------------------------------------------------------------------------------------------------

BodyCodegen::Value BodyCodegen::call(std::string_view helper, Helper returns, std::initializer_list<Value> arguments) {
  auto found = shared_.helpers.find(helper);
  const void* function = found == shared_.helpers.end() ? nullptr : found->second;
  if (!function) refuse("the runtime has no " + std::string(helper));
  return code_.call(function, returns, arguments);
}

BodyCodegen::Value BodyCodegen::checked_call(std::string_view helper, std::initializer_list<Value> arguments) {
  const Value result = call(helper, Helper::Word, arguments);
  leave_on_fault();
  return result;
}

void BodyCodegen::leave_unless(Value fine) {
  const BodyLabel on = code_.label();
  code_.branch(fine, on, exit_);
  code_.bind(on);
}

void BodyCodegen::fault_if(Value bad, Fault fault, Value what) {
  const BodyLabel wrong = code_.label(), on = code_.label();
  code_.branch(bad, wrong, on);
  code_.bind(wrong);
  call("sonde_fault", Helper::Word, {code_.context(), constant(static_cast<uint64_t>(fault)), what});
  code_.jump(exit_);
  code_.bind(on);
}

BodyCodegen::Value BodyCodegen::text_constant(const std::string& text) {
  auto [address, added] = shared_.texts.intern(text);
  if (!added.empty() && shared_.register_constants) shared_.register_constants(added.data(), added.size());
  return code_.constant(address);
}

BodyCodegen::Value BodyCodegen::refuse(const std::string& why) {
  if (shared_.failure.empty()) shared_.failure = why;
  return constant(0);
}

}  // namespace sonde
