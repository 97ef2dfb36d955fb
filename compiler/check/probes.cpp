// SPDX-License-Identifier: GPL-3.0-or-later
// Which probes a clause matches, and the types of their arguments
//
// A clause is matched while it is checked, because args[] has the types that its probes give it:
//
//   args[n] --> arg<mapping> (64 bits) --> Cast to the native type --> Xlate, where the provider names another type
//
// One clause has one body, so all its probes must agree on args[n]. Where none matches (-Z), the types are those that
// compiler/library/declared_arguments.h has for the provider, and numbers for any other provider.
#include <algorithm>
#include <cctype>
#include <set>

#include "compiler/check/checker.h"
#include "compiler/check/near_probes.h"
#include "compiler/library/declared_arguments.h"

namespace sonde {

void Checker::resolve_probes(ClauseAst& clause) {
  matched_.clear();
  arguments_.clear();
  for (size_t i = 0; i < clause.descriptions.size(); ++i) {
    ProbeDescription& description = clause.descriptions[i];
    std::vector<ProbeId> found = world_.probes.match(description);
    matched_.insert(matched_.end(), found.begin(), found.end());
    if (description.id.value != 0) {
      name_probe(description, found, clause.description_places[i]);
      continue;
    }
    if (!found.empty() || world_.options.flag("zdefs")) continue;
    SourceRange where = clause.description_places[i];
    if (std::optional<ProvideError> error = world_.probes.provide_error()) {
      // A line below the first is a hint.
      const size_t end = std::min(error->message.find('\n'), error->message.size());
      diagnostics_.report(error->tag, where, error->message.substr(0, end),
                          error->message.substr(std::min(end + 1, error->message.size())));
      continue;
    }
    std::string hint = near_probes(world_.probes, description);
    if (hint.empty() && source_.kind == SourceText::Kind::Function)
      hint = "-f takes the name of a function; a program is traced by: sonde PROGRAM ARGS";
    diagnostics_.report("D_PDESC_ZERO", where,
                        "probe description " + to_string(description) + " does not match any probes", std::move(hint));
  }
  std::ranges::sort(matched_);
  auto repeated = std::ranges::unique(matched_);
  matched_.erase(repeated.begin(), repeated.end());
}

/// The four names of a probe that was named by its number.
void Checker::name_probe(ProbeDescription& description, const std::vector<ProbeId>& found, SourceRange where) {
  if (found.empty()) {
    diagnostics_.report(
        "D_PDESC_INVAL", where,
        "invalid probe identifier " + std::to_string(description.id.value) + ": Unknown probe identifier");
    return;
  }
  const ProbeInfo& probe = world_.probes.info(found.front());
  description = {probe.provider, probe.module, probe.function, probe.name, probe.id};
}

/// args[n]: all probes of the clause must agree on it.
const ArgumentDescription& Checker::argument_of_all(uint32_t index, SourceRange where) {
  if (arguments_.empty())
    for (ProbeId id : matched_) arguments_.push_back(world_.probes.arguments(id));
  std::string shown = clause_ && !clause_->descriptions.empty() ? to_string(clause_->descriptions[0]) : "";
  const bool none = std::ranges::all_of(arguments_, [](const auto& list) { return list.empty(); });
  const ArgumentDescription* found = nullptr;
  for (const std::vector<ArgumentDescription>& list : arguments_) {
    const ArgumentDescription* own = nullptr;
    for (const ArgumentDescription& one : list)
      if (one.index == static_cast<int>(index)) own = &one;
    if (!own) {
      if (arguments_.size() > 1 &&
          std::ranges::any_of(arguments_, [&](const auto& other) { return other.size() != list.size(); }))
        fail("D_ARGS_MULTI", where,
             "args[ ] may not be referenced because the probes of the clause have different arguments");
      fail("D_ARGS_IDX", where, "index " + std::to_string(index) + " is out of range for " + shown + " args[ ]",
           none ? "it has no typed arguments; arg0 ... arg9 are there as numbers" : "");
    }
    bool differs = found && (found->native != own->native || found->translated != own->translated ||
                             found->mapping != own->mapping);
    if (differs)
      fail("D_ARGS_MULTI", where,
           "args[ ] may not be referenced because the probes of the clause have different arguments: \"" +
               found->native + "\" and \"" + own->native + "\"");
    found = own;
  }
  return *found;
}

/// The same where no probe matches: as the provider is known to declare it, else a number.
ArgumentDescription Checker::declared_argument_of_all(uint64_t index, SourceRange where) {
  const ProbeDescription& description = clause_->descriptions.front();
  const auto type = declared_argument(description.provider, description.name, index);
  if ((type && type->empty()) || index >= SONDE_DIF_ARGS)
    fail("D_ARGS_IDX", where,
         "index " + std::to_string(index) + " is out of range for " + to_string(description) + " args[ ]");
  ArgumentDescription argument;
  argument.index = argument.mapping = static_cast<int>(index);
  argument.native = type ? *type : "int64_t";
  return argument;
}

ExprPtr Checker::typed_argument(ExprPtr expr) {
  if (expr->kids.size() != 2)
    fail("D_PROTO_LEN", expr->where,
         "args[ ] prototype mismatch: " + std::to_string(expr->kids.size() - 1) + " keys passed, 1 expected");
  SourceRange where = expr->where;
  note_arguments(where);
  ExprPtr index = value(std::move(expr->kids[1]));
  if (index->kind != ExprKind::Integer) argument_mismatch("args", 1, "integer constant", *index, "[ ]");
  if (matched_.empty() && (clause_ == nullptr || clause_->descriptions.empty()))
    fail("D_ARGS_NONE", where, "args[ ] has no types where no probe matches", "arg0 ... arg9 are there as numbers");
  if (index->integer > INT32_MAX)
    fail("D_ARGS_IDX", where,
         "index " + std::to_string(static_cast<int64_t>(index->integer)) + " is out of range for args[ ]");
  if (matched_.empty()) return argument_value(declared_argument_of_all(index->integer, where), here(where));
  return argument_value(argument_of_all(static_cast<uint32_t>(index->integer), where), here(where));
}

/// The C type that a provider names. A struct gets its members when somebody looks inside; another name may be the program's.
const Type* Checker::type_of_argument(const std::string& text) {
  std::string base = text.substr(0, text.find_last_not_of(" *") + 1);
  for (std::string_view word : {"const ", "volatile "})
    if (base.starts_with(word)) base.erase(0, word.size());
  load_library_for(world_, base);
  const Type* word = world_.types.integer(8, true);
  const bool tagged = base.starts_with("struct ") || base.starts_with("union ");
  const Type* foreign = tagged || world_.types.find(base) ? nullptr : world_.foreign.find(base);
  if (!foreign) return world_.types.of_text(text, word);
  for (auto stars = std::count(text.begin(), text.end(), '*'); stars > 0; --stars)
    foreign = world_.types.pointer_to(foreign);
  return foreign;
}

/// The raw argument as its C type; translated, where the provider says so.
ExprPtr Checker::argument_value(const ArgumentDescription& argument, SourceRange where) {
  bool is_text = argument.native == "string" || argument.translated == "string";
  ExprPtr raw;
  if (is_text) {
    const DVariable* row = find_variable("__probetext");
    raw = make(ExprKind::Builtin, world_.types.string_type(), where);
    raw->builtin = row;
    raw->text = row->name;
    raw->kids.push_back(integer(static_cast<uint64_t>(argument.mapping), world_.types.integer(8, true), where));
    return raw;
  }
  const DVariable* row = find_variable("arg" + std::to_string(argument.mapping));
  if (!row)
    fail("D_UNKNOWN", where,
         "args[" + std::to_string(argument.index) + "] is a " + argument.native +
             ", which is passed where a probe cannot see it");
  raw = make(ExprKind::Builtin, world_.types.integer(8, true), where);
  raw->builtin = row;
  raw->text = row->name;
  const Type* native = type_of_argument(argument.native);
  if (!native->is_integer() && !native->is_pointer()) native = world_.types.integer(8, true);
  ExprPtr value = cast(std::move(raw), native);
  if (argument.translated.empty() || argument.translated == argument.native) return value;
  std::string name = argument.translated.substr(0, argument.translated.find_last_not_of(" *") + 1);
  load_library_for(world_, name);
  const Type* output = world_.types.find(name) ? world_.types.of_text(argument.translated, nullptr) : nullptr;
  if (!output)
    fail("D_ARGS_XLATOR", where,
         "translator for args[" + std::to_string(argument.index) + "] from " + argument.native + " to " +
             argument.translated + " is not defined");
  if (output->is_integer() || (output->is_pointer() && !output->canonical->target->is_record()))
    return convert(std::move(value), output);
  if (!find_translator(value->type, output))
    fail("D_ARGS_XLATOR", where,
         "translator for args[" + std::to_string(argument.index) + "] from " + argument.native + " to " +
             argument.translated + " is not defined");
  ExprPtr out = make(ExprKind::Xlate, world_.types.dynamic_of(output), where);
  out->kids.push_back(std::move(value));
  return out;
}

}  // namespace sonde
