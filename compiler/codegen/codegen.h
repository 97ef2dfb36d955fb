// SPDX-License-Identifier: GPL-3.0-or-later
// Bodies as body code (runtime/program/body_code.h): private to compiler/codegen/.
//
// Every value of D is one word: a number, or an address (strings are const char *; a struct or array is the address of
// its bytes). Helpers, sites and string constants have known addresses in this process, which are constants in the
// code. So nothing is looked up when it runs.
//
//   start:  fields of the context and the record that are used, loaded once
//   code:   conjuncts of the predicate, statements
//   exit:   return 1          (also after a fault, which is noted in the context)
//   false:  return 0
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/codegen/builder.h"
#include "compiler/split/split_clause.h"
#include "runtime/body/context.h"
#include "runtime/body/symbols.h"

namespace sonde {

/// String constants, each stored once, in few pieces of memory. The runtime keeps a list of the pieces, because bodies
/// may load from them.
class TextPool {
 public:
  /// The text's address and, if a piece of memory had to be added for it, that piece.
  std::pair<const char*, std::span<const char>> intern(const std::string& text);

 private:
  std::unordered_map<std::string_view, const char*> known_;
  char* piece_ = nullptr;  ///< the last one
  size_t used_ = 0, size_ = 0;
};

/// State that the code of all clauses shares.
struct CodegenShared {
  std::unordered_map<std::string_view, const void*> helpers;
  TextPool texts;  ///< string constants, whose addresses are in the code
  void (*register_constants)(const void* begin, size_t size) = nullptr;
  std::string failure;  ///< the first thing that could not be compiled; empty: none
};

/// Whether the body has anything to do.
bool needs_code(const SplitClause& clause);

/// Makes the code of one clause.
class BodyCodegen {
 public:
  BodyCodegen(CodegenShared& shared, const BodyProgram& program, const SplitClause& clause)
      : shared_(shared), program_(program), clause_(&clause), exit_(code_.label()), false_(code_.label()) {}

  BodyCode generate();

 private:
  using Value = BodyValue;

  CodegenShared& shared_;
  const BodyProgram& program_;
  const SplitClause* clause_;
  BodyBuilder code_;
  BodyLabel exit_, false_;

  std::map<uint64_t, Value> fields_;  ///< of the context, by offset
  std::map<uint64_t, Value> header_;  ///< of the record, by offset
  std::map<uint32_t, Value> slot_values_;
  uint32_t conditional_depth_ = 0;  ///< 0: this block dominates what is emitted later
  uint64_t statement_ = 0;
  bool stores_strings_ = false;  ///< the statement stores a string and then continues

  // codegen.cpp: frame
  Value constant(uint64_t value) { return code_.constant(value); }
  Value field(uint64_t offset);
  Value header_field(uint64_t offset, uint64_t size, bool is_signed);
  Value narrow(Value value, const Type& type);
  Value call(std::string_view helper, Helper returns, std::initializer_list<Value> arguments);
  /// Calls a helper that returns a word and may fail.
  Value checked_call(std::string_view helper, std::initializer_list<Value> arguments);
  void leave_on_fault() { code_.leave_on_fault(exit_); }
  /// Jumps to the exit unless `fine`; the fault has been set.
  void leave_unless(Value fine);
  void fault_if(Value bad, Fault fault, Value what);
  Value text_constant(const std::string& text);
  Value refuse(const std::string& why);

  // codegen_statements.cpp
  void predicates();
  void statements(const std::vector<LoweredStatement>& list);
  void if_statement(const LoweredStatement& statement);
  void aggregate(const LoweredExpr& expr);
  Value action(const LoweredExpr& call);

  // codegen_expressions.cpp
  Value value(const LoweredExpr& expr);
  Value plain_value(const LoweredExpr& expr);
  Value truth(const LoweredExpr& expr);
  Value is_zero(Value value) { return code_.binary(BodyOp::Equal, value, constant(0)); }
  Value narrowed(const LoweredExpr& expr) { return narrow(value(expr), *expr.type); }
  std::vector<Value> values(const LoweredExpr& expr, size_t first, size_t count);
  Value slot_value(const LoweredExpr& expr, uint32_t slot);
  Value builtin(const LoweredExpr& expr);
  Value unary(const LoweredExpr& expr);
  Value binary(const LoweredExpr& expr);
  Value operation(Op op, const Type& left, const Type& right, Value a, Value b);
  Value comparison(Op op, bool is_unsigned, Value a, Value b);
  Value division(Op op, bool is_unsigned, Value a, Value b);
  Value shift(Op op, bool is_unsigned, Value a, Value b);
  Value logical(const LoweredExpr& expr);
  Value conditional(const LoweredExpr& expr);
  Value cast(const LoweredExpr& expr);
  Value string_of(const LoweredExpr& source, uint64_t size);
  Value kept_string(const LoweredExpr& variable, Value text);
  Value subroutine(const LoweredExpr& call);
  void add_arguments(const LoweredExpr& call, std::vector<Value>& all);
  Value fire_function(const LoweredExpr& call);

  // codegen_places.cpp: what can be assigned
  struct Place {
    const LoweredExpr* expr = nullptr;
    Value at{};  ///< the address of a cell, of keys or of memory
    // Memory that is a copy of an element, to be stored back.
    const LoweredExpr* element = nullptr;
    Value keys{}, copy{};
  };
  std::map<const LoweredExpr*, Value> copied_elements_;
  Place place(const LoweredExpr& expr);
  Place place_to_store(const LoweredExpr& expr);
  void store_element(const LoweredExpr& element, Value keys, Value value);
  void move_bytes(Value to, Value from, uint64_t size);
  Value load(const Place& place);
  void store(const Place& place, Value value);
  Value assign(const LoweredExpr& expr);
  Value update(const LoweredExpr& expr);
  std::pair<Value, uint64_t> cell(const VariableDesc& variable);
  Value cell_address(const VariableDesc& variable);
  Value load_variable(const LoweredExpr& expr);
  void store_variable(const LoweredExpr& expr, Value value);
  Value load_memory(const LoweredExpr& expr, Value address, bool checked);
  void store_memory(const LoweredExpr& expr, Value address, Value value);
  Value as_kept(const LoweredExpr& place, Value value);
  void store_text(Value address, Value text, uint64_t size);
  Value field_of_word(const LoweredExpr& expr, Value word);
  Value address(const LoweredExpr& place);
  Value element_bytes(const LoweredExpr& element, Value keys);
  bool is_known_memory(const LoweredExpr& pointer, uint64_t size) const;
  void may(std::string_view helper, Value address, uint64_t size);
};

}  // namespace sonde
