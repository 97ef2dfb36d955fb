// SPDX-License-Identifier: GPL-3.0-or-later
// The JIT
//
// One module for all clauses of a call: IR (codegen.h) -> object file in memory -> ORC's linking layer -> addresses.
// Start-up time counts (the whole command has 50 ms), so ORC is assembled from only the parts that are needed: no
// platform, no threads, no search of the process's symbols. Nothing is made before the first clause that has a body.
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

#include "compiler/llvm/codegen.h"

namespace sonde {
namespace {

/// Where memory ends LLVM aborts, from its static constructors on. This says so and ends with status 1, as sonde does.
__attribute__((constructor(101))) void end_without_memory() {
  llvm::install_bad_alloc_error_handler([](void*, const char*, bool) {
    constexpr std::string_view kMessage = "sonde: out of memory\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kMessage.data(), kMessage.size());
    _exit(1);
  });
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

}  // namespace

struct Jit::Impl {
  CodegenShared shared;
  std::unique_ptr<llvm::orc::ExecutionSession> session;
  std::unique_ptr<llvm::orc::RTDyldObjectLinkingLayer> linking;
  llvm::orc::JITDylib* bodies = nullptr;
  std::unique_ptr<llvm::TargetMachine> target;
  uint64_t functions = 0;  ///< made so far: their names are numbers

  ~Impl() {
    if (session) llvm::consumeError(session->endSession());
  }

  void start();
  Result<void> add(std::unique_ptr<llvm::Module> module);
  Result<std::vector<BodyFunction>> addresses(const std::vector<std::string>& names);
};

void Jit::Impl::start() {
  if (session) return;
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
#ifndef NDEBUG
  SONDE_CHECK(!llvm::verifyModule(*module, &llvm::errs()));
#endif
  if (auto added = impl_->add(std::move(module)); !added) return std::move(added).error();
  return impl_->addresses(names);
}

}  // namespace sonde
