// SPDX-License-Identifier: GPL-3.0-or-later
// The JIT
//
// One module for all clauses of a call: IR (codegen.h) -> object file in memory -> ORC's linking layer -> addresses.
// Start-up time counts (the whole command has 50 ms), so ORC is assembled from only the parts that are needed: no
// platform, no search of the process's symbols. LLVM's own start takes 2 ms, as long as the parser's: both at once, if
// bodies are expected. The thread that prepares it also compiles a function that resembles a body, because half of the
// time of a first body is the first use of LLVM's code and tables.
//
// All code is made by LLVM's fast instruction selector. Bodies spend most of their time in helpers: default code
// generation made records no faster (consumer_bench: 46.6 and 47.0 ns for a count, 33.4 and 33.3 for a latency), and
// took three times as long to compile. We refused the middle-end's pass pipelines: setting them up takes longer than
// compiling a clause, and the IR is in SSA form already.
#include "compiler/llvm/jit.h"

#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ExecutorProcessControl.h>
#include <llvm/ExecutionEngine/Orc/RTDyldObjectLinkingLayer.h>
#include <llvm/ExecutionEngine/SectionMemoryManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <unistd.h>

#include <array>
#include <exception>
#include <string_view>

#include "compiler/llvm/codegen.h"
#include "runtime/base/late_initializers.h"
#include "runtime/base/out_of_memory.h"
#include "runtime/base/thread.h"

namespace sonde {
namespace {

/// LLVM aborts where memory ends, from its static initializers on, and on what it calls fatal.
[[noreturn]] void end_on_fatal_error(void*, const char* reason, bool) {
  const std::array<std::string_view, 3> message = {"sonde: cannot compile the script: ", reason, "\n"};
  for (const std::string_view part : message)
    if (write(STDERR_FILENO, part.data(), part.size()) < 0) break;
  _exit(1);
}

__attribute__((constructor(101))) void install_llvm_handlers() {
  llvm::install_bad_alloc_error_handler([](void*, const char*, bool) { end_without_memory(); });
  llvm::install_fatal_error_handler(end_on_fatal_error);
}

Error to_error(llvm::Error error) { return Error("cannot compile the script: " + llvm::toString(std::move(error))); }

std::unique_ptr<llvm::TargetMachine> make_target() {
  std::string triple = llvm::sys::getProcessTriple(), why;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, why);
  SONDE_CHECK(target);
  llvm::TargetOptions options;
  options.EnableFastISel = true;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, "", "", options, llvm::Reloc::Static, llvm::CodeModel::Large, llvm::CodeGenOptLevel::None, true));
}

/// Compiles what nobody calls: it loads from its argument, compares, calls an address and returns, as bodies do.
void compile_practice(llvm::TargetMachine& target) {
  llvm::LLVMContext context;
  llvm::Module module("practice", context);
  module.setDataLayout(target.createDataLayout());
  module.setTargetTriple(target.getTargetTriple().str());
  llvm::IRBuilder<> ir(context);
  auto* type = llvm::FunctionType::get(ir.getInt64Ty(), {ir.getPtrTy()}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "practice", module);
  auto* calls = llvm::BasicBlock::Create(context, "calls", function);
  auto* leaves = llvm::BasicBlock::Create(context, "leaves", function);
  ir.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function, calls));
  llvm::Value* word = ir.CreateLoad(ir.getInt64Ty(), function->getArg(0));
  ir.CreateCondBr(ir.CreateICmpEQ(word, ir.getInt64(0)), leaves, calls);
  ir.SetInsertPoint(calls);
  ir.CreateCall(type, ir.CreateIntToPtr(ir.getInt64(uint64_t{1} << 40), ir.getPtrTy()), {function->getArg(0)});
  ir.CreateBr(leaves);
  ir.SetInsertPoint(leaves);
  ir.CreateRet(word);
  llvm::consumeError(llvm::orc::SimpleCompiler(target)(module).takeError());
}

}  // namespace

struct Jit::Impl {
  CodegenShared shared;
  std::unique_ptr<llvm::orc::ExecutionSession> session;
  std::unique_ptr<llvm::orc::RTDyldObjectLinkingLayer> linking;
  llvm::orc::JITDylib* bodies = nullptr;
  std::unique_ptr<llvm::TargetMachine> target;
  uint64_t functions = 0;  ///< made so far: their names are numbers
  std::thread preparing;
  std::exception_ptr failure;  ///< what ended that thread

  ~Impl() {
    if (preparing.joinable()) preparing.join();
    if (session) llvm::consumeError(session->endSession());
  }

  void expect_bodies();
  void prepare_in_thread();
  void start();
  void prepare();
  Result<void> add(std::unique_ptr<llvm::Module> module);
  Result<std::vector<BodyFunction>> addresses(const std::vector<std::string>& names);
};

/// Without a thread, start() prepares.
void Jit::Impl::expect_bodies() {
  if (preparing.joinable() || session) return;
  try {
    preparing = start_thread([this] { prepare_in_thread(); });
  } catch (const NoThread&) {
    return;
  }
}

/// What this throws, for want of memory, start() throws.
void Jit::Impl::prepare_in_thread() try {
  prepare();
  compile_practice(*target);
} catch (...) {
  failure = std::current_exception();
}

void Jit::Impl::start() {
  if (preparing.joinable()) preparing.join();
  if (failure) std::rethrow_exception(failure);
  if (!session) prepare();
}

void Jit::Impl::prepare() {
  initialize_llvm();
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  target = make_target();
  auto control = std::make_unique<llvm::orc::UnsupportedExecutorProcessControl>(
      std::make_shared<llvm::orc::SymbolStringPool>(), std::make_unique<llvm::orc::InPlaceTaskDispatcher>(),
      llvm::sys::getProcessTriple());
  session = std::make_unique<llvm::orc::ExecutionSession>(std::move(control));
  linking = std::make_unique<llvm::orc::RTDyldObjectLinkingLayer>(
      *session, [] { return std::make_unique<llvm::SectionMemoryManager>(); });
  bodies = &session->createBareJITDylib("bodies");
}

Result<void> Jit::Impl::add(std::unique_ptr<llvm::Module> module) {
  auto object = llvm::orc::SimpleCompiler(*target)(*module);
  if (!object) return to_error(object.takeError());
  if (llvm::Error error = linking->add(*bodies, std::move(*object))) return to_error(std::move(error));
  return {};
}

/// Looking the names up links the object.
Result<std::vector<BodyFunction>> Jit::Impl::addresses(const std::vector<std::string>& names) {
  llvm::orc::SymbolLookupSet wanted;
  for (const std::string& name : names)
    if (!name.empty()) wanted.add(session->intern(name));
  auto found = session->lookup(llvm::orc::makeJITDylibSearchOrder(bodies), std::move(wanted));
  if (!found) return to_error(found.takeError());
  std::vector<BodyFunction> functions;
  for (const std::string& name : names) {
    functions.push_back(name.empty() ? nullptr : (*found)[session->intern(name)].getAddress().toPtr<BodyFunction>());
    SONDE_CHECK(name.empty() || functions.back());
  }
  return functions;
}

Jit::Jit(std::span<const BodySymbol> helpers, RegisterConstants register_constants) : impl_(std::make_unique<Impl>()) {
  impl_->shared.register_constants = register_constants;
  for (const BodySymbol& helper : helpers) impl_->shared.helpers.emplace(helper.name, helper.address);
}

Jit::~Jit() = default;

void Jit::expect_bodies() { impl_->expect_bodies(); }

Result<std::vector<BodyFunction>> Jit::compile(const BodyProgram& program, std::span<const SplitClause> clauses) {
  std::vector<std::string> names(clauses.size());
  size_t count = 0;
  for (size_t i = 0; i < clauses.size(); ++i) {
    if (!needs_code(clauses[i])) continue;
    names[i] = "body" + std::to_string(impl_->functions++);
    ++count;
  }
  if (count == 0) return std::vector<BodyFunction>(clauses.size());

  impl_->start();
  llvm::LLVMContext context;
  auto module = std::make_unique<llvm::Module>("bodies", context);
  BodyCodegen codegen(impl_->shared, program, *module);
  for (size_t i = 0; i < clauses.size(); ++i)
    if (!names[i].empty()) codegen.generate(clauses[i], names[i]);
  if (std::string why = std::exchange(impl_->shared.failure, {}); !why.empty())
    return Error("cannot compile the script: " + why);
  module->setDataLayout(impl_->target->createDataLayout());
  module->setTargetTriple(impl_->target->getTargetTriple().str());
#ifdef SONDE_VERIFIES_IR
  SONDE_CHECK(!llvm::verifyModule(*module, &llvm::errs()));
#endif
  if (auto added = impl_->add(std::move(module)); !added) return std::move(added).error();
  return impl_->addresses(names);
}

}  // namespace sonde
