// SPDX-License-Identifier: GPL-3.0-or-later
// Bodies of split clauses: the only header of compiler/codegen/ that others include
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "compiler/split/split_clause.h"
#include "runtime/base/result.h"
#include "runtime/body/body.h"
#include "runtime/body/symbols.h"
#include "runtime/program/program.h"

namespace sonde {

struct CodegenShared;

class BodyCompiler {
 public:
  /// Bodies call the runtime's helpers.
  BodyCompiler();
  /// For tests: bodies call these helpers. `register_constants` is called with the memory of string constants.
  using RegisterConstants = void (*)(const void* begin, size_t size);
  explicit BodyCompiler(std::span<const BodySymbol> helpers, RegisterConstants register_constants = nullptr);
  ~BodyCompiler();
  BodyCompiler(const BodyCompiler&) = delete;
  BodyCompiler& operator=(const BodyCompiler&) = delete;

  /// A body for each clause, in order. Null: it has nothing to do (no predicate left, no statements), and its predicate
  /// is true. Errors: only our own bugs; the contents of the tree have been checked.
  Result<std::vector<std::shared_ptr<Body>>> compile(const BodyProgram& program, std::span<const SplitClause> clauses);

 private:
  std::unique_ptr<CodegenShared> shared_;
};

}  // namespace sonde
