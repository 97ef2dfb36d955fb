// SPDX-License-Identifier: GPL-3.0-or-later
// The state of a session: names, types, inlines, translators. Texts are checked one after another, and each sees the
// declarations before it. A text that fails leaves nothing behind: see Checkpoint.
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
  ExprPtr value;  ///< as written: checked at each use
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
  bool declared = false;          ///< of an Array: so its keys have the width of their types
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

/// All names that a D text can define. A Checkpoint copies them.
struct Names {
  SymbolMap globals, self, locals;
  std::map<std::string, AggregationSymbol, std::less<>> aggregations;
  std::vector<std::shared_ptr<const Translator>> translators;
  std::map<std::string, IdentifierFacts, std::less<>> facts;  ///< by #pragma D attributes and binding
  std::set<std::string, std::less<>> own;  ///< built-in names that the program has taken for itself: own_names.h
  std::map<std::string, std::string, std::less<>> providers;  ///< declared: name -> its probes, as text
  SymbolMap& of(VariableDesc::Scope scope) {
    return scope == VariableDesc::Scope::Global ? globals : scope == VariableDesc::Scope::Self ? self : locals;
  }
};

/// The parsed prototype of a table row.
struct Prototype {
  const Type* result = nullptr;
  std::vector<const Type*> parameters;
  std::vector<bool> constant;  ///< the argument must be a constant
  size_t required = 0;
  bool varargs = false;
};

/// The name of a member in a text that asks which members there are.
inline constexpr std::string_view kAskedMember = "__sonde_asked";

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
  std::set<std::string_view> wrong_libraries;            ///< of plug-ins, with errors in them
  bool checks_definitions = false;   ///< those of libraries, too, which otherwise are checked where they are used
  std::vector<NamedType> asked;      ///< what could stand where a text has kAskedMember
  std::string narrowing;             ///< a predicate that each clause gets besides its own; may be empty
  std::set<size_t> named_arguments;  ///< $1 is 1: macro arguments that a text has named

  const Prototype& prototype(std::string_view text);

  // Names in the program's version of D: younger ones are unknown.
  const DFunction* function(std::string_view name) const;
  const DVariable* variable(std::string_view name) const;
  const AggFunctionRow* aggregating_function(std::string_view name) const;
  const Symbol* global(std::string_view name) const;

 private:
  bool is_bound(Version since) const;

  std::map<std::string_view, Prototype> prototypes_;
};

/// Restores the world to an earlier state, unless the text is kept.
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

/// How the runtime interprets a word of that type.
ValueType value_type(const Type* type);

}  // namespace sonde
