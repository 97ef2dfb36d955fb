// SPDX-License-Identifier: GPL-3.0-or-later
// One clause, split
//
//   predicate    conjuncts of the fire part:   code, JZ fail
//   captures that the rest of the predicate needs
//   statements   resident assignments: ST;     captures of the others, in their order
//   RECORD
//   fail: FAIL
//
// Captures are made whether or not the body will use them: one that fails only marks its slot. Leaves are captured, not
// trees: the body does the arithmetic. Equal expressions share a slot (key()), unless a resident variable in them was
// assigned in between. If nothing is left for its body, a clause writes no record.
#include "compiler/split/clause_splitter.h"

#include <algorithm>
#include <array>
#include <csignal>

#include "compiler/split/residency.h"
#include "compiler/types/arithmetic.h"
#include "runtime/base/check.h"

namespace sonde {
namespace {

struct MadeOfArguments {
  std::string_view name;
  uint32_t count;
  bool error;  ///< and of errno
};

/// Body variables that the runtime computes from the first arguments of the probe, which the record must have.
constexpr std::array<MadeOfArguments, 2> kMadeOfArguments = {{{"argstr", SONDE_DIF_ARGS, false}, {"retstr", 1, true}}};

constexpr uint32_t kErrno = SONDE_DIF_ARGS;

/// arg0 ... and errno, as if the script contained them.
const LoweredExpr& hidden_expression(uint32_t number) {
  static const Type* const kInt64 = [] {
    static Type type;
    type.kind = Type::Kind::Integer;
    type.name = "int64_t";
    type.size = 8;
    type.is_signed = true;
    type.canonical = &type;
    return &type;
  }();
  static const std::vector<LoweredExpr> kHidden = [] {
    std::vector<LoweredExpr> all(SONDE_DIF_ARGS + 1);
    for (uint32_t i = 0; i < all.size(); ++i) {
      all[i].kind = LoweredKind::Builtin;
      all[i].type = kInt64;
      all[i].builtin = find_variable(i == kErrno ? "errno" : "arg" + std::to_string(i));
    }
    return all;
  }();
  return kHidden.at(number);
}

/// execname, as if the script contained it.
const LoweredExpr& hidden_execname() {
  static const Type* const kString = [] {
    static Type type;
    type.kind = Type::Kind::String;
    type.name = "string";
    type.canonical = &type;
    return &type;
  }();
  static const LoweredExpr kHidden = [] {
    LoweredExpr expr;
    expr.kind = LoweredKind::Builtin;
    expr.type = kString;
    expr.builtin = find_variable("execname");
    return expr;
  }();
  return kHidden;
}

bool acts(const LoweredExpr& expr) {
  if (expr.kind == LoweredKind::Call && is_action(expr.function->runs)) return true;
  return std::ranges::any_of(expr.kids, [](const LoweredExprPtr& kid) { return acts(*kid); });
}

/// Whether some statement is an action: a clause that only aggregates gives a printer no record.
bool has_action(const std::vector<LoweredStatement>& statements) {
  return std::ranges::any_of(statements, [](const LoweredStatement& statement) {
    return acts(*statement.expression) || has_action(statement.then_part) || has_action(statement.else_part);
  });
}

/// Whether it may end the run, or looks at an aggregation as it is now.
bool is_urgent(const LoweredExpr& expr) {
  if (expr.kind == LoweredKind::AggregationRef) return true;
  if (expr.kind == LoweredKind::Call && expr.function->runs == Runs::Exit) return true;
  return std::ranges::any_of(expr.kids, [](const LoweredExprPtr& kid) { return is_urgent(*kid); });
}

bool is_urgent(const std::vector<LoweredStatement>& statements) {
  return std::ranges::any_of(statements, [](const LoweredStatement& statement) {
    return is_urgent(*statement.expression) || is_urgent(statement.then_part) || is_urgent(statement.else_part);
  });
}

/// The signal that the statement sends whenever it is reached, if it is nothing else and the number is known.
std::optional<uint32_t> signal_of(const LoweredStatement& statement) {
  const LoweredExpr& expr = *statement.expression;
  if (statement.is_if || expr.kind != LoweredKind::Call || expr.function->runs != Runs::Signal) return {};
  if (expr.kids.empty()) return SIGSTOP;
  const std::optional<uint64_t> number = constant_of(*expr.kids[0]);
  if (!number || *number == 0 || *number >= NSIG) return {};
  return static_cast<uint32_t>(*number);
}

/// Whether it cannot fault, and may be evaluated twice or not at all.
bool is_harmless(const LoweredExpr& expr) {
  switch (expr.kind) {
    case LoweredKind::Assign:
    case LoweredKind::Update:
    case LoweredKind::Call:
    case LoweredKind::StringOf:
    case LoweredKind::Deref:
    case LoweredKind::Aggregate: return false;
    case LoweredKind::Binary:
      if ((expr.op == Op::Div || expr.op == Op::Mod) && constant_of(*expr.kids[1]).value_or(0) == 0) return false;
      break;
    default: break;
  }
  return std::ranges::all_of(expr.kids, [](const LoweredExprPtr& kid) { return is_harmless(*kid); });
}

}  // namespace

SplitClause ClauseSplitter::split(const LoweredClause& clause) {
  result_.clause = &clause;
  DifEmitter::Label fail = out_.label();
  if (limits_.notes_cpu) out_.op(SONDE_DIF_VAR, 0, 0, 0, SONDE_DIF_VAR_CPU);
  split_predicate(clause.predicate.get(), fail);
  for (const LoweredExpr* conjunct : result_.body_predicates) walk(*conjunct);
  if (result_.body_predicates.empty() && folding_.applies(clause, residents_))
    split_folded(clause.statements);
  else
    split_statements(clause.statements);
  if (limits_.notes_execname) capture_execname(clause);
  finish(clause, fail);
  return std::move(result_);
}

void ClauseSplitter::finish(const LoweredClause& clause, DifEmitter::Label fail) {
  result_.held = waits_ || signal_calls_ > 0;
  bool records = has_work_for_body(clause);
  if (records) out_.op(SONDE_DIF_RECORD);
  if (!records || out_.is_wanted(fail)) {
    out_.bind(fail);
    out_.op(SONDE_DIF_FAIL);
  }
  if (!fits(out_.length(), clause) || diagnostics_.any()) return;
  result_.fire = std::make_shared<FireProgram>(out_.finish());
  result_.fire->call = call_slots_;
  result_.fire->fold = fold_;
  result_.fire->urgent = is_urgent(clause.statements);
  result_.fire->signals = signals_of(clause);
}

bool ClauseSplitter::fits(size_t length, const LoweredClause& clause) {
  if (length <= SONDE_DIF_MAX_LENGTH) return true;
  if (!full_)
    diagnostics_.report(
        "D_UNKNOWN", clause.where,
        "clause is too long: its fire part has more than " + std::to_string(SONDE_DIF_MAX_LENGTH) + " instructions");
  return false;
}

std::shared_ptr<const FireProgram> ClauseSplitter::fire_for(const CallPlan& plan, const SplitClause& split) {
  if (!call_slots_.decoded) return split.fire;
  DifEmitter out(*split.fire, call_at_);
  emit_call(out, plan, call_slots_, limits_.strsize);
  if (!fits(split.fire->insns.size() + out.length() - call_at_, *split.clause)) return split.fire;
  return std::make_shared<FireProgram>(out.finish_for_sources());  // the list of calls has 132 of them
}

std::shared_ptr<const FireProgram> ClauseSplitter::fire_behind(const LoweredPreface& preface,
                                                               const FireProgram& fire) const {
  DifEmitter out(fire, 0);
  for (const LoweredExpr* conjunct : conjuncts(preface.when.get())) {
    if (!fire_.cost(*conjunct, FireExpressions::Use::Filter)) return nullptr;
    const DifEmitter::Label holds = out.label();
    fire_.emit(out, *conjunct, 0);
    out.branch(SONDE_DIF_JNZ, holds, 0);
    out.op(SONDE_DIF_FAIL);
    out.bind(holds);
  }
  if (preface.derived != nullptr) {
    if (!fire_.cost(*preface.derived, FireExpressions::Use::Value)) return nullptr;
    fire_.emit(out, *preface.derived, 0);
    out.op(SONDE_DIF_STL, 0, 0, 0, kDerivedLocal);
  }
  for (const auto& [index, value] : preface.arguments) {
    if (!fire_.cost(*value, FireExpressions::Use::Value)) return nullptr;
    fire_.emit(out, *value, 0);
    out.op(SONDE_DIF_STL, 0, 0, 0, static_cast<int32_t>(kArgumentLocal - index));
  }
  if (fire.insns.size() + out.length() > SONDE_DIF_MAX_LENGTH) return nullptr;
  return std::make_shared<FireProgram>(out.finish());
}

/// A clause without statements prints a row.
bool ClauseSplitter::has_work_for_body(const LoweredClause& clause) const {
  if (!result_.body_predicates.empty() || clause.statements.empty()) return true;
  return !std::ranges::all_of(clause.statements, [&](const LoweredStatement& statement) {
    return !statement.is_if && result_.done_at_fire.contains(statement.expression.get());
  });
}

/// A conjunct behind one of the body's may still filter here, if it may be evaluated first.
void ClauseSplitter::split_predicate(const LoweredExpr* predicate, DifEmitter::Label fail) {
  bool all_harmless = true;
  for (const LoweredExpr* conjunct : conjuncts(predicate)) {
    auto cost = fire_.cost(*conjunct, FireExpressions::Use::Filter);
    bool fits = cost && out_.length() + cost->length + 1 <= kMaxFilter;
    if (fits && all_harmless && (result_.body_predicates.empty() || !cost->loads)) {
      fire_.emit(out_, *conjunct, 0);
      out_.branch(SONDE_DIF_JZ, fail, 0);
      continue;
    }
    all_harmless = all_harmless && is_harmless(*conjunct);
    result_.body_predicates.push_back(conjunct);
  }
}

bool ClauseSplitter::assigns_resident(const LoweredExpr& expr) const {
  if (expr.kind != LoweredKind::Assign && expr.kind != LoweredKind::Update) return false;
  return expr.kids[0]->kind == LoweredKind::Variable && residents_.contains(expr.kids[0]->variable_index);
}

/// Whether it is an assignment of the fire part, which this then makes.
bool ClauseSplitter::assign(const LoweredStatement& statement) {
  const LoweredExpr& expr = *statement.expression;
  if (statement.is_if || !assigns_resident(expr)) return false;
  SONDE_CHECK(result_.body_predicates.empty());
  fire_.emit_assignment(out_, expr);
  ++generation_[expr.kids[0]->variable_index];
  result_.done_at_fire[&expr] = true;
  return true;
}

void ClauseSplitter::split_statements(const std::vector<LoweredStatement>& statements) {
  for (const LoweredStatement& statement : statements) {
    if (assign(statement)) continue;
    walk(*statement.expression);
    split_statements(statement.then_part);
    split_statements(statement.else_part);
  }
}

/// The signals that each record of the clause sends, if no thread must wait for its body. Bit n: signal n + 1.
uint64_t ClauseSplitter::signals_of(const LoweredClause& clause) const {
  uint64_t signals = 0;
  uint32_t known = 0;
  for (const LoweredStatement& statement : clause.statements) {
    const std::optional<uint32_t> signal = signal_of(statement);
    if (!signal) continue;
    signals |= uint64_t{1} << (*signal - 1);
    known++;
  }
  return waits_ || !result_.body_predicates.empty() || known < signal_calls_ ? 0 : signals;
}

/// Assignments, aggregations, assignments.
void ClauseSplitter::split_folded(const std::vector<LoweredStatement>& statements) {
  std::vector<const LoweredExpr*> aggregates;
  const auto aggregates_only = [](const LoweredStatement& one) {
    return one.expression->kind == LoweredKind::Aggregate;
  };
  const auto first = std::ranges::find_if(statements, aggregates_only);
  const auto rest = std::find_if_not(first, statements.end(), aggregates_only);
  for (const LoweredStatement& statement : std::ranges::subrange(statements.begin(), first)) assign(statement);
  for (const LoweredStatement& statement : std::ranges::subrange(first, rest))
    aggregates.push_back(statement.expression.get());
  fold(aggregates);
  for (const LoweredStatement& statement : std::ranges::subrange(rest, statements.end())) assign(statement);
}

/// Captures the keys of all aggregations, then their values: these as a whole, since where they are folded no body
/// computes them.
void ClauseSplitter::fold(std::span<const LoweredExpr* const> aggregates) {
  bool thread = false;
  for (const LoweredExpr* aggregate : aggregates) {
    for (uint32_t n = 0; n < aggregate->key_count; n++) {
      walk(*aggregate->kids[n]);
      thread = thread || names_thread(*aggregate->kids[n]);
    }
  }
  const uint32_t keys = out_.slots();
  const bool known =
      capture_values(aggregates) && std::ranges::all_of(result_.captures, [](const Capture& one) {
        return one.kind == SONDE_SLOT_WORD || one.kind == SONDE_SLOT_TEXT || one.kind == SONDE_SLOT_KERNEL_STACK;
      });
  if (!known || full_ || waits_) return;
  fold_.keys = static_cast<uint8_t>(keys);
  fold_.thread = thread;
  for (const LoweredExpr* aggregate : aggregates) {
    sonde_fold_part part = folding_.part_of(*aggregate);
    const auto values = std::span(aggregate->kids).subspan(aggregate->key_count);
    const auto slot = [&](size_t n) { return static_cast<uint8_t>(result_.slot_of.at(values[n].get())); };
    if (!values.empty()) part.value = slot(0);
    if (values.size() > 1) part.weight = slot(1);
    fold_.part[fold_.parts++] = part;
  }
}

/// Whether each value has a slot.
bool ClauseSplitter::capture_values(std::span<const LoweredExpr* const> aggregates) {
  bool all = true;
  for (const LoweredExpr* aggregate : aggregates) {
    for (const LoweredExprPtr& value : std::span(aggregate->kids).subspan(aggregate->key_count)) {
      if (!capture_word(*value)) walk(*value);
      all = all && result_.slot_of.contains(value.get());
    }
  }
  return all;
}

// ---- captures --------------------------------------------------------------------------------------------------

void ClauseSplitter::walk_kids(const LoweredExpr& expr) {
  for (const LoweredExprPtr& kid : expr.kids) walk(*kid);
}

/// Splits a place whose address is used, not its value.
bool ClauseSplitter::walk_address(const LoweredExpr& place) {
  if (place.kind == LoweredKind::Variable) return true;
  if (place.kind != LoweredKind::Deref && place.kind != LoweredKind::ArrayElement) return false;
  walk_kids(place);
  return true;
}

void ClauseSplitter::walk(const LoweredExpr& expr) {
  switch (expr.kind) {
    case LoweredKind::Variable:
      if (residents_.contains(expr.variable_index)) capture_word(expr);
      return;
    case LoweredKind::Builtin:
      if (!walk_builtin(expr)) walk_kids(expr);
      return;
    case LoweredKind::Call:
      if (!walk_call(expr)) walk_kids(expr);
      return;
    case LoweredKind::Deref:
      if (!capture_word(expr) && !capture_object(expr)) follow(expr);
      return;
    case LoweredKind::StringOf:
      if (!capture_string_of(expr)) follow(expr);
      return;
    case LoweredKind::AddressOf:
      if (!walk_address(*expr.kids[0])) walk_kids(expr);
      return;
    case LoweredKind::Assign:
    case LoweredKind::Update:
      if (!walk_address(*expr.kids[0])) walk(*expr.kids[0]);
      walk(*expr.kids[1]);
      return;
    default: walk_kids(expr);
  }
}

bool ClauseSplitter::walk_builtin(const LoweredExpr& expr) {
  switch (expr.builtin->from) {
    case From::Argument:
    case From::Fire:
    case From::Derived:
    case From::Registers: return capture_word(expr);
    case From::Text:
    case From::TextOf: return capture_text(expr, expr.builtin->which);
    case From::Body: capture_hidden_arguments(*expr.builtin); return true;
    case From::Header:
    case From::Typed:
    case From::Library:
    case From::Refused: return true;
  }
  return true;
}

/// Captures the arguments from which the runtime computes a variable.
void ClauseSplitter::capture_hidden_arguments(const DVariable& variable) {
  auto needed = std::ranges::find(kMadeOfArguments, variable.name, &MadeOfArguments::name);
  if (needed == kMadeOfArguments.end()) return;
  const bool decoded = plans_->slots.decoded;
  const uint32_t count = decoded && !plans_->beside_others ? 1 : needed->count;
  for (uint32_t i = 0; i < count; ++i) capture_word(hidden_expression(i));
  if (decoded || needed->error) capture_word(hidden_expression(kErrno));
  if (decoded) capture_call();
}

/// Makes slots for the call's words and its memory, once per clause.
void ClauseSplitter::capture_call() {
  CallSlots slots = plans_->slots;
  if (call_captured_) return;
  call_captured_ = true;
  const uint32_t count = kCallWords + slots.text_count + slots.byte_count;
  if (out_.slots() + count > SONDE_MAX_SLOTS) {
    if (!full_)
      diagnostics_.report("D_UNKNOWN", result_.clause->where,
                          "clause captures more than " + std::to_string(SONDE_MAX_SLOTS) +
                              " values: split it in two, name fewer system calls, or use -x argstr=classic");
    full_ = true;
    return;
  }
  const auto add = [this](uint32_t how_many, sonde_slot_kind kind) {
    const uint32_t first = out_.slots();
    for (uint32_t i = 0; i < how_many; ++i) {
      out_.add_slot(kind);
      result_.captures.push_back({kind, nullptr});
    }
    return first;
  };
  slots.words = add(kCallWords, SONDE_SLOT_WORD);
  slots.texts = add(slots.text_count, SONDE_SLOT_TEXT);
  slots.bytes = add(slots.byte_count, SONDE_SLOT_BYTES);
  record_bytes_ += 8 * count + plans_->most_bytes;
  call_slots_ = slots;
  call_at_ = out_.length();
}

/// Captures the name that the printer shows, unless the record has no room for it.
void ClauseSplitter::capture_execname(const LoweredClause& clause) {
  if (!clause.statements.empty() && !has_action(clause.statements)) return;
  const LoweredExpr& name = hidden_execname();
  for (uint32_t slot = 0; slot < result_.captures.size(); ++slot) {
    const LoweredExpr* known = result_.captures[slot].expression;
    if (known != nullptr && known->kind == LoweredKind::Builtin && known->builtin == name.builtin)
      result_.execname_slot = slot;
  }
  if (result_.execname_slot || full_ || out_.slots() == SONDE_MAX_SLOTS) return;
  capture_text(name, name.builtin->which);
  if (auto at = result_.slot_of.find(&name); at != result_.slot_of.end()) result_.execname_slot = at->second;
}

bool ClauseSplitter::walk_call(const LoweredExpr& expr) {
  if (expr.function->runs == Runs::Destructive) waits_ = true;
  if (expr.function->runs == Runs::Signal) signal_calls_++;
  if (expr.function->runs != Runs::Fire) return false;
  if (expr.type->canonical->kind == Type::Kind::Stack) return capture_stack(expr);
  const bool captured = copies_bytes(expr) ? capture_copyin(expr) : capture_copyinstr(expr);
  // The body reads what cannot be captured here, while the thread waits.
  if (!captured) waits_ = true;
  return captured;
}

bool ClauseSplitter::computable(const LoweredExpr& expr, uint32_t registers_left) const {
  auto cost = fire_.cost(expr, FireExpressions::Use::Value);
  return cost && cost->registers <= registers_left && out_.length() + cost->length < SONDE_DIF_MAX_LENGTH - 64;
}

bool ClauseSplitter::capture_word(const LoweredExpr& expr) {
  if (!computable(expr, SONDE_DIF_REGISTERS)) return false;
  if (auto slot = new_slot(expr, SONDE_SLOT_WORD, 0)) {
    fire_.emit(out_, expr, 0);
    out_.op(SONDE_DIF_CAPW, *slot, 0);
  }
  return true;
}

bool ClauseSplitter::capture_text(const LoweredExpr& expr, uint32_t which) {
  const LoweredExpr* operand = expr.kids.empty() ? nullptr : expr.kids[0].get();
  if (operand && !computable(*operand, SONDE_DIF_REGISTERS)) {
    diagnostics_.report("D_UNKNOWN", expr.where,
                        "index must be known where the probe fires: a constant, an argument, or a self-> variable that "
                        "is set from one");
    return true;
  }
  auto slot = new_slot(expr, SONDE_SLOT_TEXT, sonde_dif_text_max(which));
  if (!slot) return true;
  if (operand)
    fire_.emit(out_, *operand, 0);
  else
    out_.constant(0, 0);
  out_.op(SONDE_DIF_CAPTEXT, *slot, 0, 0, static_cast<int32_t>(which));
  return true;
}

/// copyinstr()'s size includes the NUL, the limits of DIF do not.
bool ClauseSplitter::capture_copyinstr(const LoweredExpr& call) {
  uint64_t limit = std::min<uint64_t>(limits_.strsize, SONDE_DIF_MAX_TEXT) - 1;
  const LoweredExpr* size = call.kids.size() > 1 ? call.kids[1].get() : nullptr;
  std::optional<uint64_t> constant = size ? constant_of(*size) : std::nullopt;
  if (constant && *constant < 2) return false;  // no room for a character: rare, so left to the body
  if (constant) limit = std::min(limit, *constant - 1);
  bool bounded = size && !constant;
  if (!computable(*call.kids[0], SONDE_DIF_REGISTERS) || (bounded && !computable(*size, SONDE_DIF_REGISTERS - 2)))
    return false;

  auto slot = new_slot(call, SONDE_SLOT_TEXT, limit + 1);
  if (!slot) return true;
  fire_.emit(out_, *call.kids[0], 0);
  if (!bounded) {
    out_.op(SONDE_DIF_CAPSTR, *slot, 0, 0, static_cast<int32_t>(limit));
    return true;
  }
  fire_.emit(out_, *size, 1);
  out_.constant(2, 0);
  out_.op(SONDE_DIF_NE, 2, 1, 2);
  out_.op(SONDE_DIF_SUB, 1, 1, 2);
  out_.op(SONDE_DIF_CAPSTRN, *slot, 0, 1, static_cast<int32_t>(limit));
  return true;
}

/// Whether it is a pointer into the traced program or the kernel that is known at the firing.
bool ClauseSplitter::leads_out(const LoweredExpr& pointer) const {
  return !pointer.type->is_string() && !constant_of(pointer) && computable(pointer, SONDE_DIF_REGISTERS - 1);
}

/// For a pointer that only the body knows: if it points into the program, the thread waits while the body reads it.
void ClauseSplitter::follow(const LoweredExpr& expr) {
  walk_kids(expr);
  if (expr.kids[0]->type->is_string() || !origins_.leads_into_program(*expr.kids[0], residents_)) return;
  result_.followed.insert(&expr);
  waits_ = true;
}

/// Captures a whole struct or array of the traced program or the kernel: its address becomes that of the copy.
bool ClauseSplitter::capture_object(const LoweredExpr& deref) {
  const LoweredExpr& pointer = *deref.kids[0];
  const uint64_t size = deref.type->size;
  if (size == 0 || size > SONDE_DIF_MAX_TEXT || !leads_out(pointer)) return false;
  if (auto slot = new_slot(pointer, SONDE_SLOT_BYTES, size)) {
    fire_.emit(out_, pointer, 0);
    out_.constant(1, size);
    out_.op(fire_.is_kernel(pointer) ? SONDE_DIF_CAPKMEM : SONDE_DIF_CAPMEM, *slot, 0, 1, static_cast<int32_t>(size));
  }
  return true;
}

/// Captures the text of a char array, or at a char pointer, of the traced program or the kernel.
bool ClauseSplitter::capture_string_of(const LoweredExpr& expr) {
  const LoweredExpr& pointer = *expr.kids[0];
  if (is_narrow(*pointer.type) || !leads_out(pointer)) return false;
  uint64_t limit = std::min<uint64_t>(limits_.strsize, SONDE_DIF_MAX_TEXT);
  if (expr.integer) limit = std::min(limit, expr.integer);
  if (auto slot = new_slot(expr, SONDE_SLOT_TEXT, limit + 1)) {
    fire_.emit(out_, pointer, 0);
    out_.op(fire_.is_kernel(pointer) ? SONDE_DIF_CAPKSTR : SONDE_DIF_CAPSTR, *slot, 0, 0, static_cast<int32_t>(limit));
  }
  return true;
}

bool ClauseSplitter::capture_copyin(const LoweredExpr& call) {
  const LoweredExpr &address = *call.kids[0], &size = *call.kids[1];
  std::optional<uint64_t> constant = constant_of(size);
  if (constant && (*constant == 0 || *constant > SONDE_DIF_MAX_TEXT)) return false;
  if (!computable(address, SONDE_DIF_REGISTERS) || !computable(size, SONDE_DIF_REGISTERS - 1)) return false;
  uint64_t limit = constant.value_or(SONDE_DIF_MAX_TEXT);
  if (auto slot = new_slot(call, SONDE_SLOT_BYTES, limit)) {
    fire_.emit(out_, address, 0);
    fire_.emit(out_, size, 1);
    out_.op(SONDE_DIF_CAPMEM, *slot, 0, 1, static_cast<int32_t>(limit));
  }
  return true;
}

bool ClauseSplitter::capture_stack(const LoweredExpr& call) {
  const uint64_t frames = std::clamp<uint64_t>(constant_of(*call.kids[0]).value_or(1), 1, SONDE_DIF_MAX_FRAMES);
  const bool kernel = call.function->of_kernel;
  if (auto slot = new_slot(call, kernel ? SONDE_SLOT_KERNEL_STACK : SONDE_SLOT_STACK, 8 * frames))
    out_.op(kernel ? SONDE_DIF_CAPKSTACK : SONDE_DIF_CAPSTACK, *slot, 0, 0, static_cast<int32_t>(frames));
  return true;
}

// ---- slots -----------------------------------------------------------------------------------------------------

/// Equal keys mean equal values at this point of the clause.
std::string ClauseSplitter::key(const LoweredExpr& expr) const {
  std::string text = std::to_string(static_cast<int>(expr.kind)) + "." + std::to_string(static_cast<int>(expr.op));
  switch (expr.kind) {
    case LoweredKind::Integer: text += "=" + std::to_string(expr.integer); break;
    case LoweredKind::String: text += "=" + std::to_string(expr.text.size()) + expr.text; break;
    case LoweredKind::Builtin: text += std::string("=") += expr.builtin->name; break;
    case LoweredKind::Call: text += std::string("=") += expr.function->name; break;
    case LoweredKind::Variable: {
      auto at = generation_.find(expr.variable_index);
      text +=
          "=" + std::to_string(expr.variable_index) + "/" + std::to_string(at == generation_.end() ? 0 : at->second);
      break;
    }
    case LoweredKind::Deref:
      text += "=" + std::to_string(expr.bit_offset) + "." + std::to_string(expr.bit_width);
      break;
    case LoweredKind::StringOf: text += "=" + std::to_string(expr.integer); break;
    default: break;
  }
  text += ":" + std::to_string(expr.type->size) + (extends_sign(*expr.type) ? "s" : "u") + "(";
  for (const LoweredExprPtr& kid : expr.kids) text += key(*kid) + ",";
  return text + ")";
}

std::optional<uint32_t> ClauseSplitter::new_slot(const LoweredExpr& expr, sonde_slot_kind kind, uint64_t span_bytes) {
  // A pointer may be captured as a number, and as its target.
  std::string what = key(expr) + "#" + std::to_string(kind == SONDE_SLOT_BYTES ? span_bytes : 0);
  auto [at, is_new] = known_.try_emplace(std::move(what), out_.slots());
  if (!is_new) {
    result_.slot_of[&expr] = at->second;
    return std::nullopt;
  }
  uint64_t bytes = 8 + (span_bytes + 7) / 8 * 8;
  if (out_.slots() == SONDE_MAX_SLOTS || record_bytes_ + bytes > SONDE_RECORD_MAX) {
    known_.erase(at);
    if (!full_)
      diagnostics_.report(
          "D_UNKNOWN", expr.where,
          out_.slots() == SONDE_MAX_SLOTS
              ? "clause captures more than " + std::to_string(SONDE_MAX_SLOTS) + " values: split it in two"
              : "clause captures more than " + std::to_string(SONDE_RECORD_MAX) +
                    " bytes: split it in two, or lower strsize");
    full_ = true;
    for (const Capture& one : result_.captures)
      if (one.expression && one.expression->kind == LoweredKind::Variable)
        crowding_.insert(one.expression->variable_index);
    return std::nullopt;
  }
  record_bytes_ += bytes;
  result_.slot_of[&expr] = out_.add_slot(kind);
  result_.captures.push_back({kind, &expr});
  return at->second;
}

}  // namespace sonde
