// SPDX-License-Identifier: GPL-3.0-or-later
// The interface to LLVM: the only header of compiler/llvm/ that others include. It names no LLVM type.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "runtime/base/result.h"
#include "runtime/body/body.h"

namespace sonde {

class Jit {
 public:
  Jit();
  ~Jit();
  Jit(const Jit&) = delete;
  Jit& operator=(const Jit&) = delete;

  /// Gives the bodies native code, which lives as long as the Jit. Null ones are left out. Errors: only our own bugs.
  Result<void> compile(std::span<const std::shared_ptr<Body>> bodies);

  /// The same, in a thread, once one of them has run `runs` times: then those that have run.
  void compile_when_hot(std::span<const std::shared_ptr<Body>> bodies, uint32_t runs);
  /// Waits for what is being compiled.
  void wait();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sonde
