// SPDX-License-Identifier: GPL-3.0-or-later
// The JIT
//
// One module for all bodies that are compiled together: IR (lowering.h) -> object file in memory -> ORC's linking layer
// -> addresses. ORC is assembled from only the parts that are needed: no platform, no search of the process's symbols.
//
// All code is made by LLVM's fast instruction selector. Bodies spend most of their time in helpers: default code
// generation made records no faster (consumer_bench: 46.6 and 47.0 ns for a count, 33.4 and 33.3 for a latency), and
// took three times as long to compile. We refused the middle-end's pass pipelines: setting them up takes longer than
// compiling a clause.
//
// The thread that compiles runs beside the session's, which goes on interpreting. Where there is no thread to be had, it
// goes on for good.
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
#include <atomic>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "compiler/llvm/lowering.h"
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

Error to_error(llvm::Error error) { return Error(llvm::toString(std::move(error))); }

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
  std::unique_ptr<llvm::orc::ExecutionSession> session;
  std::unique_ptr<llvm::orc::RTDyldObjectLinkingLayer> linking;
  llvm::orc::JITDylib* bodies = nullptr;
  std::unique_ptr<llvm::TargetMachine> target;
  uint64_t functions = 0;                      ///< made so far: their names are numbers
  std::vector<std::shared_ptr<Body>> waiting;  ///< to become hot
  std::thread compiling;
  std::atomic<bool> compiled = true;  ///< that thread has ended, or is about to

  ~Impl() {
    if (compiling.joinable()) compiling.join();
    if (session) llvm::consumeError(session->endSession());
  }

  void prepare();
  Result<void> compile(std::span<const std::shared_ptr<Body>> all);
  void compile_hot();
  Result<void> add(std::unique_ptr<llvm::Module> module);
  Result<std::vector<BodyFunction>> addresses(const std::vector<std::string>& names);
};

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

Result<void> Jit::Impl::compile(std::span<const std::shared_ptr<Body>> all) {
  if (all.empty()) return {};
  if (!session) prepare();
  llvm::LLVMContext context;
  auto module = std::make_unique<llvm::Module>("bodies", context);
  module->setDataLayout(target->createDataLayout());
  module->setTargetTriple(target->getTargetTriple().str());
  std::vector<std::string> names;
  for (const std::shared_ptr<Body>& body : all)
    lower(body->code(), names.emplace_back("body" + std::to_string(functions++)), *module);
#ifdef SONDE_VERIFIES_IR
  SONDE_CHECK(!llvm::verifyModule(*module, &llvm::errs()));
#endif
  if (auto added = add(std::move(module)); !added) return std::move(added).error();
  Result<std::vector<BodyFunction>> made = addresses(names);
  if (!made) return std::move(made).error();
  for (size_t i = 0; i < all.size(); ++i) all[i]->set_native(made->at(i));
  return {};
}

/// A body became hot: compiles all that run. One that becomes hot meanwhile says so again.
void Jit::Impl::compile_hot() {
  if (!compiled.load(std::memory_order_acquire)) return;
  if (compiling.joinable()) compiling.join();
  std::vector<std::shared_ptr<Body>> running;
  std::erase_if(waiting, [&](const std::shared_ptr<Body>& body) {
    if (body->has_run()) running.push_back(body);
    return body->has_run();
  });
  if (running.empty()) return;
  compiled.store(false, std::memory_order_relaxed);
  try {
    compiling = start_thread([this, running = std::move(running)] {
      if (const Result<void> made = compile(running); !made)
        end_on_fatal_error(nullptr, made.error().message().c_str(), true);
      compiled.store(true, std::memory_order_release);
    });
  } catch (const NoThread&) {
    compiled.store(true, std::memory_order_relaxed);
  }
}

Jit::Jit() : impl_(std::make_unique<Impl>()) {}

Jit::~Jit() = default;

Result<void> Jit::compile(std::span<const std::shared_ptr<Body>> bodies) {
  wait();
  std::vector<std::shared_ptr<Body>> all;
  for (const std::shared_ptr<Body>& body : bodies)
    if (body != nullptr) all.push_back(body);
  const Result<void> made = impl_->compile(all);
  return made ? Result<void>() : Error("cannot compile the script: " + made.error().message());
}

void Jit::compile_when_hot(std::span<const std::shared_ptr<Body>> bodies, uint32_t runs) {
  for (const std::shared_ptr<Body>& body : bodies) {
    if (body == nullptr) continue;
    impl_->waiting.push_back(body);
    body->tell_when_hot(runs, [this] { impl_->compile_hot(); });
  }
}

void Jit::wait() {
  if (impl_->compiling.joinable()) impl_->compiling.join();
}

}  // namespace sonde
