// SPDX-License-Identifier: GPL-3.0-or-later
// A compiled D program, as the consumer uses it: clauses with bodies, and the tables that the bodies refer to by
// index. It only grows (the prompt adds clauses); an element keeps its index and its address.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/program/fire_program.h"
#include "runtime/program/probes.h"
#include "runtime/program/type_layout.h"
#include "runtime/program/value_type.h"

namespace sonde {

class Body;
struct BodyContext;

/// Scratch memory of a clause; more when strings are very long.
inline constexpr uint64_t kScratchBytes = 1 << 20;

/// Native code that does what Body::run() does.
using BodyFunction = int32_t (*)(BodyContext*);

/// A variable: one 64-bit cell. The cell holds an integer, or the address of the buffer of a string, struct or array
/// (0: never assigned, or freed).
struct VariableDesc {
  enum class Scope : uint8_t { Global, Self, This };
  std::string name;
  Scope scope = Scope::Global;
  ValueType type;
  uint32_t cell = 0;  ///< index among the cells of its scope
};

/// An associative array, global or thread-local.
struct ArrayDesc {
  std::string name;
  bool thread_local_ = false;
  std::vector<ValueType> keys;
  ValueType value;
};

enum class AggFunction : uint8_t { Count, Sum, Avg, Min, Max, Stddev, Quantize, Lquantize, Llquantize };

struct AggregationDesc {
  std::string name;  ///< without @; empty for @
  AggFunction function{};
  std::vector<int64_t> params;           ///< lquantize: base, limit, step; llquantize: factor, low, high, steps
  std::vector<ValueType> keys;           ///< of String, Integer, Pointer, Bytes, Stack, Symbol
  uint32_t default_frames = 0;           ///< of a stack key
  std::vector<std::string> key_names{};  ///< of each key that is a variable of D its name; else empty
};

/// One conversion of a printf or printa format, parsed and checked by the compiler.
struct Conversion {
  std::string literal;  ///< text before it, escapes already resolved
  char letter =
      0;  ///< d i u o x X c s S p a A Y T k e f g; 0: only the literal (end of the format); '%' stays in literal
  std::string flags;  ///< of "-+ #0'"
  int width = -1;     ///< -1: none
  int precision = -1;
  std::string size;                 ///< h hh l ll L w, as written; the argument's type has been checked against it
  bool width_argument = false;      ///< *: an int argument before the value
  bool precision_argument = false;  ///< .*
  bool aggregation = false;         ///< %@d: the next aggregation's value, not a key
};

/// One action call in a clause; the code passes its index.
struct ActionSite {
  std::string action;  ///< "printf", or "ustack" where that alone is traced; a row of runtime/lang/functions.h
  std::vector<ValueType> arguments;  ///< types of argv, in order, format and aggregations not counted
  std::vector<std::string> names{};  ///< of each argument its text in the script; empty: a constant, or a long one
  std::vector<Conversion> format;    ///< printf, printa, system
  bool has_format = false;
  std::vector<uint32_t> aggregations;        ///< printa, clear, trunc, normalize, denormalize
  std::shared_ptr<const TypeLayout> layout;  ///< print: of what the pointer points to
  uint32_t line = 0;
};

struct ClauseDesc {
  std::vector<ProbeDescription> descriptions;
  std::shared_ptr<const FireProgram> fire;
  FirePrograms fire_of_probe;  ///< with the slots of `fire`, and more in them
  std::shared_ptr<Body> body;  ///< null: nothing to do
  bool held = false;
  bool default_action = false;            ///< no statements at all: prints only the default line
  bool only_speculates = false;           ///< its only action is speculate()
  bool records = false;                   ///< has data-recording actions: its trace record ends with the clause
  std::optional<uint32_t> execname_slot;  ///< where the program's name was captured for the printer
  bool destructive = false;
  bool has_predicate = false;
  bool hidden = false;     ///< added by sonde: it saves what another clause needs, and has no effect that the user sees
  std::string impossible;  ///< why no source can run it; empty: it can be enabled
  std::shared_ptr<const std::string> text;  ///< the whole source text; null: there is none
  struct Span {
    uint32_t begin = 0, end = 0;
  };
  /// Positions in that text: the predicate, then each statement, numbered as BodyContext::action counts them.
  std::vector<Span> places;
  uint32_t line = 0;  ///< of the clause
};

struct BodyProgram {
  std::deque<ClauseDesc> clauses;
  std::deque<VariableDesc> variables;
  uint32_t global_cells = 0, self_cells = 0, this_cells = 0;
  std::deque<ArrayDesc> arrays;
  std::deque<AggregationDesc> aggregations;
  std::deque<ActionSite> sites;
};

}  // namespace sonde
