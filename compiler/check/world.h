// SPDX-License-Identifier: GPL-3.0-or-later
// What a session knows: names, types, inlines, translators. Texts are checked one after the other, and each sees what those before it
// declared. A text that fails leaves no trace: see Checkpoint.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "compiler/ast/declarations.h"
#include "compiler/check/front_end.h"
#include "compiler/types/foreign_types.h"
#include "compiler/types/type.h"
#include "runtime/agg/functions.h"
#include "runtime/lang/identifiers.h"

namespace sonde {

/// `inline T name = value;` or `inline T name[K k] = value;`
struct InlineDefinition {
  const Type* type = nullptr;
  std::vector<std::string> parameters;
  std::vector<const Type*> parameter_types;
  ExprPtr value;  ///< as written: checked anew at each use
};

struct Translator {
  const Type* input = nullptr;
  const Type* output = nullptr;
  std::string parameter;
  std::map<std::string, ExprPtr, std::less<>> members;
};

struct Symbol {
  enum class Kind : uint8_t { Variable, Array, Inline, Enumerator, Prototype };
  Kind kind = Kind::Variable;
  const Type* type = nullptr;     ///< of an Array: of its elements
  std::vector<const Type*> keys;  ///< of an Array
  uint32_t index = 0;             ///< into BodyProgram::variables or ::arrays
  int64_t value = 0;              ///< of an Enumerator
  std::shared_ptr<const InlineDefinition> definition;
  bool is_extern = false;
};

struct AggregationSymbol {
  uint32_t index = 0;
  std::vector<const Type*> keys;
  const AggFunctionRow* row = nullptr;
  uint32_t line = 0;
};

using SymbolMap = std::map<std::string, Symbol, std::less<>>;

/// All names a D text can define. Copied for a Checkpoint.
struct Names {
  SymbolMap globals, self, locals;
  std::map<std::string, AggregationSymbol, std::less<>> aggregations;
  std::vector<std::shared_ptr<const Translator>> translators;
  std::map<std::string, IdentifierFacts, std::less<>> facts;  ///< by #pragma D attributes and binding
  std::map<std::string, std::string, std::less<>> providers;  ///< declared: name -> its probes, as text
  SymbolMap& of(VariableDesc::Scope scope) {
    return scope == VariableDesc::Scope::Global ? globals : scope == VariableDesc::Scope::Self ? self : locals;
  }
};

/// A prototype of a table row, read.
struct Prototype {
  const Type* result = nullptr;
  std::vector<const Type*> parameters;
  std::vector<bool> constant;  ///< the argument must be a constant
  size_t required = 0;
  bool varargs = false;
};

class World {
 public:
  World(BodyProgram& program, ProbeCatalog& probes, Options& options);

  BodyProgram& program;
  ProbeCatalog& probes;
  Options& options;
  TypeTable types;
  ForeignTypes foreign;
  Names names;
  std::vector<std::shared_ptr<const SyntaxTree>> trees;  ///< inlines and translators point into them
  std::set<std::string_view> libraries;                  ///< loaded
  std::set<size_t> named_arguments;                      ///< $1 is 1: macro arguments that a text has named

  const Prototype& prototype(std::string_view text);

  // Names as the program's version of D has them: younger ones are unknown.
  const DFunction* function(std::string_view name) const;
  const DVariable* variable(std::string_view name) const;
  const AggFunctionRow* aggregating_function(std::string_view name) const;
  const Symbol* global(std::string_view name) const;

 private:
  bool is_bound(Version since) const;

  std::map<std::string_view, Prototype> prototypes_;
};

/// Takes the world back to where it was, unless the text was kept.
class Checkpoint {
 public:
  explicit Checkpoint(World& world);
  ~Checkpoint();
  void keep() { kept_ = true; }

 private:
  World& world_;
  Names names_;
  std::vector<std::string> types_;
  std::set<std::string_view> libraries_;
  size_t variables_, arrays_, aggregations_, sites_;
  uint32_t global_cells_, self_cells_, this_cells_;
  bool kept_ = false;
};

/// How the runtime is to read a word of that type.
ValueType value_type(const Type* type);

}  // namespace sonde
