// SPDX-License-Identifier: GPL-3.0-or-later
// The state of a session, and how a failed text is undone
//
// A Checkpoint has copies of the names and the lengths of the program's lists. Undoing cuts each list to its old
// length, so while a text is checked, lists only grow at their end. They are deques, because compiled bodies contain
// the addresses of sites. Types and trees remain, without their names: derived types and inlines may refer to them.
#include "compiler/check/world.h"

#include "runtime/base/check.h"
#include "runtime/base/find.h"

namespace sonde {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

template <typename T>
void shrink(std::deque<T>& list, size_t size) {
  while (list.size() > size) list.pop_back();
}

}  // namespace

World::World(BodyProgram& program, ProbeCatalog& probes, Options& options)
    : program(program),
      probes(probes),
      options(options),
      types(options.number("strsize"), options.flag("ilp32") ? DataModel::ILP32 : DataModel::LP64),
      foreign(types, [&probes] { return probes.targets(); }) {}

const Prototype& World::prototype(std::string_view text) {
  auto [at, fresh] = prototypes_.try_emplace(text);
  if (!fresh) return at->second;
  Prototype& out = at->second;
  size_t open = text.find('('), close = text.rfind(')');
  SONDE_CHECK(open != std::string_view::npos && close > open);
  out.result = types.of_text(text.substr(0, open), types.int_type());
  std::string_view list = text.substr(open + 1, close - open - 1);
  while (!trim(list).empty()) {
    size_t end = std::min(list.find(','), list.size());
    std::string_view word = trim(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
    bool optional = word.front() == '[';
    if (optional) word = trim(word.substr(1, word.size() - 2));
    if (word == "...") {
      out.varargs = true;
      continue;
    }
    constexpr std::string_view kConstant = " constant";
    out.constant.push_back(word.ends_with(kConstant));
    if (out.constant.back()) word.remove_suffix(kConstant.size());
    const Type* type = word == "@" || word == "@@" ? types.find(word) : types.of_text(word, types.int_type());
    // Addresses of the traced program keep their 64 bits, whatever the script's model is.
    if (word == "uintptr_t" || word == "size_t") type = types.alias(std::string(word), types.integer(8, false));
    out.parameters.push_back(type);
    if (!optional) out.required = out.parameters.size();
  }
  return out;
}

bool World::is_bound(Version since) const {
  if (since == kOldestVersion || !options.was_set("version")) return since <= kNewestVersion;
  return since <= read_version(options.text("version")).value_or(kNewestVersion);
}

const DFunction* World::function(std::string_view name) const {
  const DFunction* row = find_function(name);
  return row && is_bound(facts_of_builtin(name).since) ? row : nullptr;
}

const DVariable* World::variable(std::string_view name) const {
  const DVariable* row = find_variable(name);
  if (row && row->from == From::Library && options.flag("nolibs")) return nullptr;
  if (names.own.contains(name)) return nullptr;
  return row && is_bound(facts_of_builtin(name).since) ? row : nullptr;
}

const AggFunctionRow* World::aggregating_function(std::string_view name) const {
  const AggFunctionRow* row = find_aggregating_function(name);
  return row && is_bound(facts_of_builtin(name).since) ? row : nullptr;
}

const Symbol* World::global(std::string_view name) const {
  const IdentifierFacts* facts = find_in(names.facts, name);
  return facts == nullptr || is_bound(facts->since) ? find_in(names.globals, name) : nullptr;
}

Checkpoint::Checkpoint(World& world)
    : world_(world),
      names_(world.names),
      libraries_(world.libraries),
      variables_(world.program.variables.size()),
      arrays_(world.program.arrays.size()),
      aggregations_(world.program.aggregations.size()),
      sites_(world.program.sites.size()),
      global_cells_(world.program.global_cells),
      self_cells_(world.program.self_cells),
      this_cells_(world.program.this_cells) {
  for (const auto& [name, type] : world.types.names()) types_.push_back(name);
}

Checkpoint::~Checkpoint() {
  if (kept_) return;
  BodyProgram& program = world_.program;
  world_.names = std::move(names_);
  world_.libraries = std::move(libraries_);
  shrink(program.variables, variables_);
  shrink(program.arrays, arrays_);
  shrink(program.aggregations, aggregations_);
  shrink(program.sites, sites_);
  program.global_cells = global_cells_;
  program.self_cells = self_cells_;
  program.this_cells = this_cells_;
  std::set<std::string_view> old(types_.begin(), types_.end());
  std::vector<std::string> fresh;
  for (const auto& [name, type] : world_.types.names())
    if (!old.contains(name)) fresh.push_back(name);
  for (const std::string& name : fresh) world_.types.forget(name);
}

ValueType value_type(const Type* type) {
  ValueType out;
  out.type_name = type->name;
  out.size = static_cast<uint32_t>(type->canonical->size);
  out.is_signed = type->canonical->is_signed;
  switch (type->canonical->kind) {
    case Type::Kind::Integer:
    case Type::Kind::Enum: out.kind = ValueType::Kind::Integer; break;
    case Type::Kind::Pointer:
    case Type::Kind::Function:
      out.kind = ValueType::Kind::Pointer;
      out.size = 8;
      break;
    case Type::Kind::Array:
    case Type::Kind::Struct:
    case Type::Kind::Union: out.kind = ValueType::Kind::Bytes; break;
    case Type::Kind::String: out.kind = ValueType::Kind::String; break;
    case Type::Kind::Stack: out.kind = ValueType::Kind::Stack; break;
    case Type::Kind::Symbol: out.kind = ValueType::Kind::Symbol; break;
    case Type::Kind::Float:
      out.kind = ValueType::Kind::Float;
      out.size = 8;
      break;
    case Type::Kind::Void:
    case Type::Kind::Dynamic:
    case Type::Kind::Aggregation:
    case Type::Kind::Any: SONDE_CHECK(!"a value"); break;
  }
  return out;
}

}  // namespace sonde
