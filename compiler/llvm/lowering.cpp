// SPDX-License-Identifier: GPL-3.0-or-later
// A register that one instruction assigns is a value of LLVM. One that Copy assigns is a place in the frame: we refused
// to look for phi nodes, which the code generator of a function this small would turn into such places again.
//
// Comparisons are words in body code and single bits in LLVM. A branch on a comparison takes its bit.
#include "compiler/llvm/lowering.h"

#include <llvm/IR/IRBuilder.h>

#include <cstddef>
#include <vector>

#include "runtime/body/context.h"

namespace sonde {
namespace {

class Lowering {
 public:
  Lowering(const BodyCode& code, const std::string& name, llvm::Module& module)
      : code_(code), ir_(module.getContext()), values_(code.registers), bits_(code.registers), places_(code.registers) {
    auto* type = llvm::FunctionType::get(ir_.getInt32Ty(), {ir_.getPtrTy()}, false);
    function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
    function_->setDoesNotThrow();
  }

  void run() {
    llvm::BasicBlock* entry = block();
    ir_.SetInsertPoint(entry);
    make_registers();
    make_blocks();
    for (size_t i = 0; i < code_.instructions.size(); ++i) {
      const bool is_reached = ir_.GetInsertBlock()->getTerminator() == nullptr;
      if (blocks_[i] != nullptr || !is_reached) go_on(blocks_[i] != nullptr ? blocks_[i] : block());
      instruction(code_.instructions[i]);
    }
    remove_unreachable();
  }

 private:
  using Value = llvm::Value*;
  const BodyCode& code_;
  llvm::IRBuilder<> ir_;
  std::vector<Value> values_, bits_;  ///< by register
  std::vector<llvm::AllocaInst*> places_;
  std::vector<llvm::BasicBlock*> blocks_;  ///< by instruction: where a jump leads
  llvm::Function* function_ = nullptr;
  llvm::AllocaInst* words_ = nullptr;
  Value context_ = nullptr;

  llvm::BasicBlock* block() { return llvm::BasicBlock::Create(ir_.getContext(), "", function_); }

  void make_registers() {
    context_ = function_->getArg(0);
    values_[code_.context] = ir_.CreatePtrToInt(context_, ir_.getInt64Ty());
    for (const BodyConstant& constant : code_.constants) values_[constant.result] = ir_.getInt64(constant.value);
    for (const BodyInstruction& at : code_.instructions)
      if (at.op == BodyOp::Copy && places_[at.result] == nullptr)
        places_[at.result] = ir_.CreateAlloca(ir_.getInt64Ty());
    if (code_.words != 0) words_ = ir_.CreateAlloca(ir_.getInt64Ty(), ir_.getInt32(code_.words));
  }

  void make_blocks() {
    blocks_.resize(code_.instructions.size());
    const auto leads_to = [&](uint32_t target) {
      if (blocks_[target] == nullptr) blocks_[target] = block();
    };
    for (const BodyInstruction& at : code_.instructions) {
      if (at.op == BodyOp::Jump || at.op == BodyOp::LeaveOnFault) leads_to(at.operands[0]);
      if (at.op != BodyOp::Branch) continue;
      leads_to(at.operands[1]);
      leads_to(at.operands[2]);
    }
  }

  /// What follows starts in `next`; what came before goes on there.
  void go_on(llvm::BasicBlock* next) {
    if (ir_.GetInsertBlock()->getTerminator() == nullptr) ir_.CreateBr(next);
    next->moveAfter(&function_->back());
    ir_.SetInsertPoint(next);
  }

  /// Such as a false exit that no predicate takes.
  void remove_unreachable() {
    for (auto at = function_->begin(); at != function_->end();) {
      llvm::BasicBlock& one = *at++;
      if (&one != &function_->getEntryBlock() && one.hasNPredecessors(0)) one.eraseFromParent();
    }
  }

  Value word(uint32_t number) {
    if (places_[number] != nullptr) return ir_.CreateLoad(ir_.getInt64Ty(), places_[number]);
    return values_[number];
  }
  Value bit(uint32_t number) {
    return bits_[number] != nullptr ? bits_[number] : ir_.CreateICmpNE(word(number), ir_.getInt64(0));
  }
  Value pointer(uint32_t base, uint64_t offset = 0) {
    const Value start = base == code_.context ? context_ : ir_.CreateIntToPtr(word(base), ir_.getPtrTy());
    return offset == 0 ? start : ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), start, offset);
  }
  llvm::Type* bytes(unsigned count) { return ir_.getIntNTy(8 * count); }
  Value extended(Value value, bool is_signed) {
    return is_signed ? ir_.CreateSExt(value, ir_.getInt64Ty()) : ir_.CreateZExt(value, ir_.getInt64Ty());
  }
  llvm::Type* float_type(unsigned count) {
    if (count == sizeof(float)) return ir_.getFloatTy();
    return count == sizeof(double) ? ir_.getDoubleTy() : llvm::Type::getX86_FP80Ty(ir_.getContext());
  }

  void instruction(const BodyInstruction& at) {
    if (is_jump(at)) return jump(at);
    if (at.op == BodyOp::Store || at.op == BodyOp::StoreFloat) return store(at);
    if (at.op == BodyOp::Copy) {
      ir_.CreateStore(word(at.operands[0]), places_[at.result]);
      return;
    }
    if (Value compared = comparison(at)) {
      bits_[at.result] = compared;
      values_[at.result] = extended(compared, false);
      return;
    }
    values_[at.result] = result(at);
  }

  static bool is_jump(const BodyInstruction& at) {
    return at.op == BodyOp::Jump || at.op == BodyOp::Branch || at.op == BodyOp::LeaveOnFault || at.op == BodyOp::Return;
  }

  void jump(const BodyInstruction& at) {
    if (at.op == BodyOp::Jump) {
      ir_.CreateBr(blocks_[at.operands[0]]);
    } else if (at.op == BodyOp::Branch) {
      ir_.CreateCondBr(bit(at.operands[0]), blocks_[at.operands[1]], blocks_[at.operands[2]]);
    } else if (at.op == BodyOp::Return) {
      ir_.CreateRet(ir_.getInt32(static_cast<uint32_t>(at.immediate)));
    } else {
      const Value fault = ir_.CreateLoad(ir_.getInt64Ty(), pointer(code_.context, offsetof(BodyContext, fault)));
      llvm::BasicBlock* fine = block();
      ir_.CreateCondBr(ir_.CreateICmpEQ(fault, ir_.getInt64(0)), fine, blocks_[at.operands[0]]);
      ir_.SetInsertPoint(fine);
    }
  }

  void store(const BodyInstruction& at) {
    Value value = word(at.operands[1]);
    if (at.op == BodyOp::StoreFloat)
      value = ir_.CreateFPCast(ir_.CreateBitCast(value, ir_.getDoubleTy()), float_type(at.size));
    else
      value = ir_.CreateTrunc(value, bytes(at.size));
    ir_.CreateAlignedStore(value, pointer(at.operands[0], at.immediate), llvm::Align(1));
  }

  /// Null: it is none.
  Value comparison(const BodyInstruction& at) {
    using Predicate = llvm::CmpInst::Predicate;
    Predicate predicate = Predicate::BAD_ICMP_PREDICATE;
    if (at.op == BodyOp::Equal) predicate = Predicate::ICMP_EQ;
    if (at.op == BodyOp::NotEqual) predicate = Predicate::ICMP_NE;
    if (at.op == BodyOp::Below) predicate = Predicate::ICMP_ULT;
    if (at.op == BodyOp::BelowEqual) predicate = Predicate::ICMP_ULE;
    if (at.op == BodyOp::Less) predicate = Predicate::ICMP_SLT;
    if (at.op == BodyOp::LessEqual) predicate = Predicate::ICMP_SLE;
    if (predicate == Predicate::BAD_ICMP_PREDICATE) return nullptr;
    return ir_.CreateICmp(predicate, word(at.operands[0]), word(at.operands[1]));
  }

  Value result(const BodyInstruction& at) {
    const auto a = [&] { return word(at.operands[0]); };
    const auto b = [&] { return word(at.operands[1]); };
    switch (at.op) {
      case BodyOp::Add: return ir_.CreateAdd(a(), b());
      case BodyOp::Sub: return ir_.CreateSub(a(), b());
      case BodyOp::Mul: return ir_.CreateMul(a(), b());
      case BodyOp::DivUnsigned: return ir_.CreateUDiv(a(), b());
      case BodyOp::ModUnsigned: return ir_.CreateURem(a(), b());
      case BodyOp::DivSigned: return ir_.CreateSDiv(a(), b());
      case BodyOp::ModSigned: return ir_.CreateSRem(a(), b());
      case BodyOp::And: return ir_.CreateAnd(a(), b());
      case BodyOp::Or: return ir_.CreateOr(a(), b());
      case BodyOp::Xor: return ir_.CreateXor(a(), b());
      case BodyOp::ShiftLeft: return ir_.CreateShl(a(), b());
      case BodyOp::ShiftRight: return ir_.CreateLShr(a(), b());
      case BodyOp::ShiftRightSigned: return ir_.CreateAShr(a(), b());
      case BodyOp::Extend: return extended(ir_.CreateTrunc(a(), bytes(at.size)), at.is_signed);
      case BodyOp::Select: return ir_.CreateSelect(bit(at.operands[0]), b(), word(at.operands[2]));
      case BodyOp::Load: {
        const Value place = pointer(at.operands[0], at.immediate);
        return extended(ir_.CreateAlignedLoad(bytes(at.size), place, llvm::Align(1)), at.is_signed);
      }
      case BodyOp::LoadFloat: {
        const Value number = ir_.CreateAlignedLoad(float_type(at.size), pointer(at.operands[0]), llvm::Align(1));
        return ir_.CreateBitCast(ir_.CreateFPCast(number, ir_.getDoubleTy()), ir_.getInt64Ty());
      }
      case BodyOp::Frame:
        return ir_.CreatePtrToInt(ir_.CreateConstInBoundsGEP1_64(ir_.getInt64Ty(), words_, at.immediate),
                                  ir_.getInt64Ty());
      case BodyOp::Call: return call(at, ir_.getInt64Ty());
      case BodyOp::CallHalf: return extended(call(at, ir_.getInt32Ty()), false);
      default: __builtin_unreachable();  // it has no result
    }
  }

  Value call(const BodyInstruction& at, llvm::Type* returns) {
    const std::vector<llvm::Type*> types(at.size, ir_.getInt64Ty());
    std::vector<Value> arguments;
    for (uint8_t i = 0; i < at.size; ++i) arguments.push_back(word(at.operands[i]));
    const Value function = ir_.CreateIntToPtr(ir_.getInt64(at.immediate), ir_.getPtrTy());
    llvm::CallInst* made = ir_.CreateCall(llvm::FunctionType::get(returns, types, false), function, arguments);
    made->setDoesNotThrow();
    return made;
  }
};

}  // namespace

void lower(const BodyCode& code, const std::string& name, llvm::Module& module) { Lowering(code, name, module).run(); }

}  // namespace sonde
