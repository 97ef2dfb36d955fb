// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiler/codegen/body_compiler.h"

#include <string>
#include <utility>

#include "compiler/codegen/codegen.h"

namespace sonde {

BodyCompiler::BodyCompiler(std::span<const BodySymbol> helpers, RegisterConstants register_constants)
    : shared_(std::make_unique<CodegenShared>()) {
  shared_->register_constants = register_constants;
  for (const BodySymbol& helper : helpers) shared_->helpers.emplace(helper.name, helper.address);
}

BodyCompiler::~BodyCompiler() = default;

Result<std::vector<std::shared_ptr<Body>>> BodyCompiler::compile(const BodyProgram& program,
                                                                 std::span<const SplitClause> clauses) {
  std::vector<std::shared_ptr<Body>> bodies(clauses.size());
  for (size_t i = 0; i < clauses.size(); ++i)
    if (needs_code(clauses[i]))
      bodies[i] = std::make_shared<Body>(BodyCodegen(*shared_, program, clauses[i]).generate());
  if (std::string why = std::exchange(shared_->failure, {}); !why.empty())
    return Error("cannot compile the script: " + why);
  return bodies;
}

}  // namespace sonde
