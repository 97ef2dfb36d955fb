// SPDX-License-Identifier: GPL-3.0-or-later
// The interface to LLVM: the only header of compiler/llvm/ that others include. It names no LLVM type.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "compiler/split/split_clause.h"
#include "runtime/base/result.h"
#include "runtime/body/symbols.h"
#include "runtime/program/program.h"

namespace sonde {

class Jit {
 public:
  /// Code calls the runtime's helpers.
  Jit();
  /// For tests: code calls these helpers. `register_constants` is called with the memory of string constants.
  using RegisterConstants = void (*)(const void* begin, size_t size);
  explicit Jit(std::span<const BodySymbol> helpers, RegisterConstants register_constants = nullptr);
  ~Jit();
  Jit(const Jit&) = delete;
  Jit& operator=(const Jit&) = delete;

  /// Bodies will be compiled: prepares LLVM in a thread of its own, meanwhile. compile() waits for it.
  void expect_bodies();

  /// Native code for each clause, in order. The code lives as long as the Jit. A clause that needs no body code (no
  /// predicate left, no statements) gets a null function: the predicate is true, and there is nothing to do.
  /// Errors: only our own bugs; the contents of the tree have been checked.
  Result<std::vector<BodyFunction>> compile(const BodyProgram& program, std::span<const SplitClause> clauses);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sonde
