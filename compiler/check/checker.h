// SPDX-License-Identifier: GPL-3.0-or-later
// The checker: gives every expression a type, resolves names, and lowers as it goes
//
// check() takes a tree as the parser made it and returns one that lower() (lower.h) can take, or that of a translated object. A
// tree that has a type already is returned as it is: so an inline's parameter can stand for an expression that was checked before.
//
// Arithmetic is 64 bits wide whatever the type says; `int` and its like are made true only where a value is stored, passed,
// compared as a key or printed. There, and nowhere else, convert() puts a Cast. Where the sign of an operation matters
// (/ % >> and comparisons) both operands have the sign that it has: same_sign() sees to that.
//
// An error ends the statement or declaration it is in: fail() throws Refused, which never leaves this folder.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "compiler/check/world.h"
#include "compiler/source/prepare.h"

namespace sonde {

struct Refused {};

class Checker {
 public:
  Checker(World& world, const SourceText& source, Diagnostics& diagnostics)
      : world_(world), source_(source), diagnostics_(diagnostics) {}

  // front_end.cpp
  /// The clauses of the text, checked.
  std::vector<ClauseAst> items(SyntaxTree& tree);
  /// The least of all names that were used: Stable/Stable/Common at most.
  const dtrace_attribute_t& least_attributes() const { return least_; }

 private:
  struct Parameters {
    std::map<std::string, const Expr*, std::less<>> values;
    SourceRange where;  ///< of the use: errors inside point there
  };

  // front_end.cpp: clauses and statements
  void clause(ClauseAst& clause);
  void predicate(ClauseAst& clause);
  static bool is_action_call(const Expr& expr);
  bool body_first(ClauseAst& clause);
  void statement_list(std::vector<Statement>& list);
  void statement(Statement& statement);
  ExprPtr statement_expression(ExprPtr expr);
  ExprPtr statement_conditional(ExprPtr expr);
  ExprPtr statement_call(ExprPtr expr);
  template <typename Work>
  bool guarded(Work work);
  void remember_names(SourceRange where);
  static bool is_unknown_name(std::string_view tag);
  void only_statements_act(const Expr& expr, bool is_statement);
  bool follows_from_another(std::string_view tag, SourceRange where) const;

  // probes.cpp
  void resolve_probes(ClauseAst& clause);
  void name_probe(ProbeDescription& description, const std::vector<ProbeId>& found, SourceRange where);
  ExprPtr typed_argument(ExprPtr expr);
  ArgumentDescription declared_argument_of_all(uint64_t index, SourceRange where);
  const ArgumentDescription& argument_of_all(uint32_t index, SourceRange where);
  const Type* type_of_argument(const std::string& text);
  ExprPtr argument_value(const ArgumentDescription& argument, SourceRange where);

  // expression.cpp
  ExprPtr check(ExprPtr expr);
  ExprPtr value(ExprPtr expr);  ///< check, refuse translated objects; arrays stay arrays
  ExprPtr scalar(ExprPtr expr, std::string_view tag, const std::string& message);
  ExprPtr constant(ExprPtr expr);
  ExprPtr check_integer(ExprPtr expr);
  ExprPtr check_name(ExprPtr expr);
  ExprPtr use_symbol(const Symbol& symbol, ExprPtr expr);
  ExprPtr use_builtin(const DVariable& row, ExprPtr expr);
  ExprPtr opaque(const Type* type, const std::string& name, SourceRange where);
  void note_kernel(const Expr& pointer);
  ExprPtr check_unary(ExprPtr expr);
  ExprPtr check_deref(ExprPtr expr);
  ExprPtr check_address(ExprPtr expr);
  ExprPtr check_cast(ExprPtr expr);
  ExprPtr check_sizeof(ExprPtr expr);
  const Type* foreign_name(const Expr& operand);
  ExprPtr check_offsetof(ExprPtr expr);
  ExprPtr check_stringof(ExprPtr expr);
  [[noreturn]] void unknown_name(const std::string& name, SourceRange where);
  static bool leads_into_kernel(const Expr& pointer);

  // operator.cpp
  ExprPtr check_binary(ExprPtr expr);
  ExprPtr arithmetic(ExprPtr expr);
  ExprPtr additive(ExprPtr expr);
  ExprPtr comparison(ExprPtr expr);
  ExprPtr check_logical(ExprPtr expr);
  ExprPtr check_conditional(ExprPtr expr);
  static ExprPtr only_arm(Expr& conditional);
  ExprPtr check_comma(ExprPtr expr);
  const Type* common_arm(Expr& a, Expr& b, const Expr& where);
  ExprPtr operand(ExprPtr expr);
  static const Type* wider(const Type* a, const Type* b);
  static bool compares_signed(const Type* a, const Type* b);
  ExprPtr same_sign(ExprPtr expr, bool is_signed);
  [[noreturn]] void incompatible(const Expr& expr, const std::string& op, const Expr& left, const Expr& right);

  // variable.cpp
  ExprPtr check_assign(ExprPtr expr);
  bool is_known(const Expr& place);
  bool may_be_deleted(const Expr& place) const;
  ExprPtr check_update(ExprPtr expr);
  ExprPtr target(ExprPtr expr, const Type* assigned, const std::string& op);
  [[noreturn]] void not_writable(SourceRange where, const std::string& op);
  ExprPtr target_name(ExprPtr expr, const Type* assigned, const std::string& op);
  bool is_assigned_below(SourceRange where) const;
  ExprPtr target_scoped(ExprPtr expr, VariableDesc::Scope scope, const Type* assigned, const std::string& op);
  ExprPtr target_element(ExprPtr expr, const Type* assigned, const std::string& op);
  ExprPtr check_member(ExprPtr expr);
  ExprPtr check_index(ExprPtr expr);
  ExprPtr element(ExprPtr base, ExprPtr expr, const std::string& name);
  ExprPtr associative(const Symbol& symbol, const std::string& name, ExprPtr expr);
  ExprPtr member_at(ExprPtr pointer, const Member& member, SourceRange where);
  ExprPtr variable(const Symbol& symbol, SourceRange where);
  const Type* assigned_type(const Expr& right, const std::string& op);
  Symbol& declare_variable(VariableDesc::Scope scope, const std::string& name, const Type* type);
  Symbol& declare_array(bool thread_local_, const std::string& name, std::vector<const Type*> keys, const Type* type);
  void require_few_keys(size_t count, SourceRange where);
  const Type* key_type(const Expr& key, const std::string& what, size_t number);
  static bool is_scope(const Expr& expr, VariableDesc::Scope& scope);
  /// Of the base of an Index: its symbol, if it is a name at all.
  const Symbol* symbol_of(const Expr& base, VariableDesc::Scope& scope, std::string& name);

  // convert.cpp
  bool assignable(const Type* to, const Expr& from) const;
  ExprPtr convert(ExprPtr expr, const Type* to);
  ExprPtr decay(ExprPtr expr);
  ExprPtr string_of(ExprPtr expr, SourceRange where);
  ExprPtr cast(ExprPtr expr, const Type* to);
  ExprPtr rvalue(ExprPtr expr);
  ExprPtr integer(uint64_t value, const Type* type, SourceRange where);
  ExprPtr make(ExprKind kind, const Type* type, SourceRange where);
  ExprPtr binary(Op op, ExprPtr a, ExprPtr b, const Type* type, SourceRange where);
  ExprPtr printable(ExprPtr expr);  ///< cut to its type, arrays and records as they are
  static bool is_null(const Expr& expr);
  static bool is_char_pointer(const Type* type);

  // fold.cpp
  ExprPtr fold(ExprPtr expr);
  static uint64_t cut(uint64_t value, const Type* type);
  static bool has_side_effects(const Expr& expr);

  // call.cpp
  ExprPtr check_call(ExprPtr expr);
  void check_count(const std::string& name, const Prototype& prototype, size_t passed, SourceRange where);
  void check_arguments(const std::string& name, const Prototype& prototype, Expr& expr, size_t first = 0);
  ExprPtr passed(const std::string& name, ExprPtr argument, const Type* parameter, size_t number);
  ExprPtr check_stack(ExprPtr expr, const DFunction& row);
  ExprPtr lowered_call(ExprPtr call);
  ExprPtr kept_in_variable(ExprPtr& value);
  void refuse_size(const Expr& call);
  [[noreturn]] void argument_mismatch(const std::string& name, size_t number, const std::string& prototype,
                                      const Expr& argument, std::string_view brackets = "( )");
  const DFunction* function_of(const Expr& call, std::string& name);
  [[noreturn]] void unknown_function(const std::string& name, SourceRange where);

  // action.cpp
  ExprPtr check_action(ExprPtr expr, const DFunction& row);
  ExprPtr action_trace(ExprPtr expr);
  ExprPtr copied_in(ExprPtr pointer, uint64_t size);
  ExprPtr action_print(ExprPtr expr, const DFunction& row);
  ExprPtr action_tracemem(ExprPtr expr, const DFunction& row);
  ExprPtr action_format(ExprPtr expr, const DFunction& row);
  ExprPtr action_printa(ExprPtr expr);
  ExprPtr action_aggregation(ExprPtr expr, const DFunction& row);
  ExprPtr action_plain(ExprPtr expr, const DFunction& row);
  ActionSite& site(Expr& expr, const DFunction& row);
  void finish_site(Expr& expr, ActionSite& site);

  // format.cpp
  std::vector<Conversion> read_format(const std::string& function, const Expr& format);
  void check_format(const std::string& function, Expr& call, std::vector<Conversion>& format, size_t first_number);
  void check_conversion(const std::string& function, const Conversion& conversion, size_t number, ExprPtr& argument,
                        size_t argument_number);
  void check_keys(std::vector<Conversion>& format, const AggregationSymbol& aggregation, SourceRange where);

  // aggregation.cpp
  ExprPtr check_aggregate(ExprPtr expr);
  static bool is_aggregation(const Expr& expr);
  const AggregationSymbol& aggregation_named(const Expr& expr, const std::string& function, size_t number,
                                             std::string_view argument_tag, std::string_view unknown_tag);
  void aggregation_values(Expr& call, const AggFunctionRow& row, Expr& into, std::vector<int64_t>& params);
  void lquantize_params(Expr& call, std::vector<int64_t>& params);
  void llquantize_params(Expr& call, std::vector<int64_t>& params);
  int64_t constant_argument(Expr& call, size_t index, const std::string& name, std::string_view tag,
                            const std::string& kind);
  void same_aggregation(const std::string& name, const AggregationSymbol& known, const AggFunctionRow& row,
                        const std::vector<const Type*>& keys, const std::vector<int64_t>& params, const Expr& expr);

  // declaration.cpp and type.cpp
  void declaration(DeclarationSyntax& syntax);
  void declare(const Specifiers& specifiers, const Declarator& declarator, const Type* base);
  void declare_typedef(const Declarator& declarator, const Type* type);
  void declare_scoped(VariableDesc::Scope scope, const Declarator& declarator, const Type* base, bool is_extern);
  void require_new(const std::string& name, SourceRange where);
  /// A declared name may not be scoped by a backquote.
  void require_unscoped(const std::string& name, SourceRange where);
  const Type* specified(const Specifiers& specifiers);
  const Type* specified_integer(const Specifiers& specifiers);
  const Type* record(const RecordSyntax& syntax);
  const Type* scoped_type(const std::string& name, SourceRange where, bool defined);
  void record_members(const RecordSyntax& syntax, Type& type);
  void record_member(const FieldSyntax& field, Type& type);
  const Type* enumeration(const EnumSyntax& syntax);
  const Type* derived(const Type* base, const Declarator& declarator, size_t keep = 0);
  const Type* array(const Type* element, const Derivation& derivation, std::string_view name);
  std::vector<const Type*> signature(const Derivation& derivation, std::vector<std::string>* names = nullptr);
  const Type* named(const TypeName& name);
  Storage storage_of(const Specifiers& specifiers, bool& any);

  // translator.cpp
  void inline_definition(InlineSyntax& syntax);
  void translator(TranslatorSyntax& syntax);
  ExprPtr expand(const Symbol& symbol, const std::string& name, std::vector<ExprPtr> arguments, SourceRange where);
  ExprPtr check_xlate(ExprPtr expr);
  ExprPtr translated_member(ExprPtr expr, ExprPtr base);
  ExprPtr translated_record(ExprPtr dynamic);
  ExprPtr stand_in(const Type* type, SourceRange where);
  const Translator* find_translator(const Type* input, const Type* output);
  ExprPtr expanded(const Expr& expr, SourceRange where);
  ExprPtr with_parameters(const Expr& body, Parameters parameters);
  const Expr* parameter(std::string_view name) const;

  // stability.cpp
  void note_name(std::string_view name, SourceRange where);
  void note_arguments(SourceRange where);
  void note_probes(const ClauseAst& clause);
  void note(const dtrace_attribute_t& attributes, std::string_view what, SourceRange where);

  // provider.cpp
  void provider(const ProviderSyntax& syntax);
  void provider_probe(const std::string& provider, const ProbeSyntax& probe, std::string& signature_text);

  // pragma.cpp is functions of its own.

  [[noreturn]] void fail(std::string_view tag, SourceRange where, std::string message, std::string hint = {});
  bool is_known_to_headers(std::string_view tag, SourceRange where);
  bool in_header(SourceRange where);
  uint32_t line_of(SourceRange where);
  SourceRange here(SourceRange where) const { return parameters_.empty() ? where : parameters_.front().where; }

  World& world_;
  const SourceText& source_;
  Diagnostics& diagnostics_;
  bool library_ = false;
  const ClauseAst* clause_ = nullptr;
  std::vector<ProbeId> matched_;                             ///< by the clause that is checked
  std::vector<std::vector<ArgumentDescription>> arguments_;  ///< of the matched probes, fetched when they are needed
  std::vector<Parameters> parameters_;
  uint32_t depth_ = 0;
  const Type* text_member_ = nullptr;  ///< the char array whose text the last translated member gave
  Place last_place_;                   ///< that line_of() found
  uint64_t expansion_ = 0;             ///< nodes that inlines and translators have come to
  bool overgrown_ = false;             ///< too many, and an error says so
  dtrace_attribute_t least_ = kStableName;
  std::set<std::string, std::less<>> unsure_;  ///< names in statements that failed: they may have been defined there
  std::string needs_kernel_;  ///< what the clause that is checked follows into the kernel, though nobody sees it
  friend void load_library_text(World& world, const struct LibraryPart& part);
};

/// An error ends `work`, and nothing else.
template <typename Work>
bool Checker::guarded(Work work) {
  try {
    work();
    return true;
  } catch (const Refused&) {
    parameters_.clear();
    depth_ = 0;
    return false;
  }
}

/// `#pragma D attributes` or `binding` about a name of the text.
struct NamePragma {
  std::string kind;  ///< for messages
  std::string name;
  SourceRange where;
};

/// `#pragma D ...`, `#error` and their like. Options are set here, and what is said of names is noted in the world. Each NamePragma is to be
/// looked at when the text's declarations are known: see check_name_pragmas().
std::vector<NamePragma> control_lines(World& world, const std::vector<struct ControlLine>& lines, bool library,
                                      Diagnostics& diagnostics);
/// A pragma about a name must be about one that this text declares: `before` are the names that were there already.
void check_name_pragmas(const World& world, const std::vector<NamePragma>& pragmas, const Names& before,
                        Diagnostics& diagnostics);

/// `#pragma D depends_on KIND NAME`.
struct Dependency {
  std::string kind, name;
  SourceRange where;
};
std::vector<Dependency> dependencies(const std::vector<struct ControlLine>& lines);
/// Whether there is such a module or provider.
bool is_met(World& world, const Dependency& need);

/// The order of speculate(), commit() and what else the clause does. Every statement was checked.
void check_speculation(const ClauseAst& clause, Diagnostics& diagnostics);

/// Loads the library that defines `name`, if one does and it is not there yet.
void load_library_for(World& world, std::string_view name);
bool library_defines_type(std::string_view name);

}  // namespace sonde
