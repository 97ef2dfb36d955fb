// SPDX-License-Identifier: GPL-3.0-or-later
// The frame of a body, and how it calls the runtime
//
// What is loaded once must dominate all its uses. Fields of the context and of the record's header are loaded in the
// entry block, wherever they are first used. A slot is fetched at its first use, so its value is reused only if that is
// outside of every conditional (conditional_depth_ is 0).
//
// The arguments of all calls share one place, words_. Its size is known at the end: close() sets it. It holds nothing
// across a call; own_words() is for words that must live longer.
//
// A helper that may fail leaves its fault in the context. After each such call leave_on_fault() branches to the exit.
#include "compiler/llvm/codegen.h"

#include <algorithm>
#include <cstring>

#include "compiler/types/arithmetic.h"

namespace sonde {
namespace {

constexpr size_t kTextPiece = 64 * 1024;
constexpr size_t kTextSlack = 64;

/// Never freed: the runtime has noted where constants are.
char* new_piece(size_t size) {
  static auto* pieces = new std::vector<std::unique_ptr<char[]>>;
  return pieces->emplace_back(std::make_unique<char[]>(size)).get();
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

void BodyCodegen::generate(const SplitClause& clause, const std::string& name) {
  reset(clause, name);
  predicates();
  statements(clause.clause->statements);
  close();
}

void BodyCodegen::reset(const SplitClause& clause, const std::string& name) {
  clause_ = &clause;
  auto* type = llvm::FunctionType::get(ir_.getInt32Ty(), {ir_.getPtrTy()}, false);
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module_);
  function_->setDoesNotThrow();
  entry_ = block("entry");
  exit_ = block("exit");
  false_ = block("false");
  context_ = function_->getArg(0);
  words_needed_ = 1;
  fields_.clear();
  header_.clear();
  slot_values_.clear();
  conditional_depth_ = 0;
  statement_ = 0;

  ir_.SetInsertPoint(exit_);
  ir_.CreateRet(ir_.getInt32(1));
  ir_.SetInsertPoint(false_);
  ir_.CreateRet(ir_.getInt32(0));
  llvm::BasicBlock* code = block("code");
  ir_.SetInsertPoint(entry_);
  words_ = ir_.CreateAlloca(ir_.getInt64Ty(), ir_.getInt32(1));
  ir_.CreateBr(code);
  ir_.SetInsertPoint(code);
}

void BodyCodegen::close() {
  ir_.CreateBr(exit_);
  words_->setOperand(0, ir_.getInt32(words_needed_));
  if (false_->hasNPredecessors(0)) false_->eraseFromParent();
}

BodyCodegen::Value BodyCodegen::field(uint64_t offset) {
  Value& known = fields_[offset];
  if (known) return known;
  llvm::IRBuilder<> entry(entry_->getTerminator());
  Value at = entry.CreateConstInBoundsGEP1_64(entry.getInt8Ty(), context_, offset);
  return known = entry.CreateLoad(entry.getPtrTy(), at);
}

BodyCodegen::Value BodyCodegen::header_field(uint64_t offset, uint64_t size, bool is_signed) {
  Value record = field(offsetof(BodyContext, record));
  Value& known = header_[offset];
  if (known) return known;
  llvm::IRBuilder<> entry(entry_->getTerminator());
  Value at = entry.CreateConstInBoundsGEP1_64(entry.getInt8Ty(), record, offset);
  Value raw = entry.CreateLoad(entry.getIntNTy(static_cast<unsigned>(8 * size)), at);
  return known = is_signed ? entry.CreateSExt(raw, entry.getInt64Ty()) : entry.CreateZExt(raw, entry.getInt64Ty());
}

BodyCodegen::Value BodyCodegen::extend(Value value, bool is_signed) {
  return is_signed ? ir_.CreateSExt(value, ir_.getInt64Ty()) : ir_.CreateZExt(value, ir_.getInt64Ty());
}

BodyCodegen::Value BodyCodegen::narrow(Value value, const Type& type) {
  if (!is_narrow(type) || !value) return value;
  Value cut = ir_.CreateTrunc(value, ir_.getIntNTy(static_cast<unsigned>(8 * type.size)));
  return extend(cut, extends_sign(type));
}

// ---- calls -----------------------------------------------------------------------------------------------------

BodyCodegen::Value BodyCodegen::call_address(const void* function, llvm::Type* result,
                                             std::initializer_list<Value> arguments) {
  std::vector<llvm::Type*> types;
  for (Value argument : arguments) types.push_back(argument->getType());
  auto* type = llvm::FunctionType::get(result, types, false);
  llvm::CallInst* call = ir_.CreateCall(type, pointer(address_of(function)), std::vector<Value>(arguments));
  call->setDoesNotThrow();
  return call;
}

BodyCodegen::Value BodyCodegen::call(std::string_view helper, llvm::Type* result,
                                     std::initializer_list<Value> arguments) {
  auto found = shared_.helpers.find(helper);
  const void* function = found == shared_.helpers.end() ? nullptr : found->second;
  if (!function) refuse("the runtime has no " + std::string(helper));
  return call_address(function, result, arguments);
}

BodyCodegen::Value BodyCodegen::checked_call(std::string_view helper, std::initializer_list<Value> arguments) {
  Value result = call(helper, ir_.getInt64Ty(), arguments);
  leave_on_fault();
  return result;
}

void BodyCodegen::leave_on_fault() {
  Value fault = ir_.CreateLoad(ir_.getInt64Ty(), at_offset(context_, offsetof(BodyContext, fault)));
  leave_unless(ir_.CreateICmpEQ(fault, constant(0)));
}

void BodyCodegen::leave_unless(Value fine) {
  llvm::BasicBlock* on = block("on");
  ir_.CreateCondBr(fine, on, exit_);
  ir_.SetInsertPoint(on);
}

void BodyCodegen::fault_if(Value bad, Fault fault, Value what) {
  llvm::BasicBlock *wrong = block("wrong"), *on = block("on");
  ir_.CreateCondBr(bad, wrong, on);
  ir_.SetInsertPoint(wrong);
  call("sonde_fault", ir_.getVoidTy(), {context_, constant(static_cast<uint64_t>(fault)), what});
  ir_.CreateBr(exit_);
  ir_.SetInsertPoint(on);
}

/// Stores the arguments of one call. All are computed before the first is stored, so all calls can share one place.
BodyCodegen::Value BodyCodegen::words(const std::vector<Value>& values) {
  words_needed_ = std::max(words_needed_, static_cast<uint32_t>(values.size()));
  for (size_t i = 0; i < values.size(); ++i) ir_.CreateStore(values[i], at_offset(words_, 8 * i));
  return words_;
}

/// The same in a place of their own, for words that must outlive other calls.
BodyCodegen::Value BodyCodegen::own_words(const std::vector<Value>& values) {
  llvm::IRBuilder<> entry(words_);
  Value place =
      entry.CreateAlloca(entry.getInt64Ty(), entry.getInt32(static_cast<uint32_t>(std::max<size_t>(values.size(), 1))));
  for (size_t i = 0; i < values.size(); ++i) ir_.CreateStore(values[i], at_offset(place, 8 * i));
  return place;
}

BodyCodegen::Value BodyCodegen::text_constant(const std::string& text) {
  auto [address, added] = shared_.texts.intern(text);
  if (!added.empty() && shared_.register_constants) shared_.register_constants(added.data(), added.size());
  return address_of(address);
}

BodyCodegen::Value BodyCodegen::refuse(const std::string& why) {
  if (shared_.failure.empty()) shared_.failure = why;
  return constant(0);
}

}  // namespace sonde
