// SPDX-License-Identifier: GPL-3.0-or-later
// Helpers that log the calls of generated code, instead of the runtime's.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "runtime/body/context.h"
#include "runtime/body/symbols.h"

namespace sonde::test::fake {

inline std::vector<std::string> log;
inline std::map<std::string, uint64_t> elements;
inline std::deque<std::string> scratch;  ///< a deque, so that addresses stay valid

inline void fault(BodyContext* context, uint64_t code, uint64_t value) {
  context->fault = code;
  context->fault_value = value;
}
inline uint32_t may_touch(BodyContext* context, uint64_t address, uint64_t size) {
  if (address >= context->scratch_begin && address + size <= context->scratch_end) return 1;
  fault(context, 1, address);
  return 0;
}
inline uint64_t slot_word(BodyContext* context, uint32_t slot) {
  if (context->record->faults >> slot & 1) fault(context, 1, context->slots[slot]);
  return context->slots[slot];
}
inline uint64_t slot_text(BodyContext* context, uint32_t slot) {
  log.push_back("slot_text " + std::to_string(slot));
  if (context->record->faults >> slot & 1) fault(context, 1, context->slots[slot]);
  return context->slots[slot];
}
inline void store_string(BodyContext*, uint64_t* cell, uint64_t text) {
  scratch.emplace_back(reinterpret_cast<const char*>(text));
  *cell = reinterpret_cast<uint64_t>(scratch.back().c_str());
}
inline int64_t compare_strings(BodyContext*, uint64_t a, uint64_t b) {
  if (a == 0 || b == 0) return (a != 0) - (b != 0);
  return std::strcmp(reinterpret_cast<const char*>(a), reinterpret_cast<const char*>(b));
}
inline std::string element_key(uint32_t array, const uint64_t* keys) {
  return std::to_string(array) + "," + std::to_string(keys[0]);
}
inline uint64_t array_load(BodyContext*, uint32_t array, const uint64_t* keys) {
  return elements[element_key(array, keys)];
}
inline void array_store(BodyContext*, uint32_t array, const uint64_t* keys, uint64_t value) {
  elements[element_key(array, keys)] = value;
}
inline void aggregate(BodyContext*, uint32_t aggregation, const uint64_t* keys, int64_t value, int64_t weight) {
  log.push_back("aggregate " + std::to_string(aggregation) + " [" + std::to_string(static_cast<int64_t>(keys[0])) +
                "] " + std::to_string(value) + " " + std::to_string(weight));
}
inline void act_trace(BodyContext* context, const ActionSite* site, uint32_t argc, const uint64_t* argv) {
  log.push_back("trace " + std::to_string(context->action) + " line " + std::to_string(site->line) + " " +
                std::to_string(static_cast<int64_t>(argc ? argv[0] : 0)));
}
inline uint64_t fn_strlen(BodyContext*, uint32_t argc, const uint64_t* argv) {
  return argc == 1 ? std::strlen(reinterpret_cast<const char*>(argv[0])) : ~0ull;
}
inline uint64_t fn_strjoin(BodyContext*, uint32_t argc, const uint64_t* argv) {
  log.push_back("strjoin " + std::to_string(argc));
  scratch.emplace_back();
  for (uint32_t i = 0; i < argc; ++i) scratch.back() += reinterpret_cast<const char*>(argv[i]);
  return reinterpret_cast<uint64_t>(scratch.back().c_str());
}
inline uint64_t fn_rand(BodyContext*, uint32_t, const uint64_t*) { return 0x1234567890ull; }
inline uint64_t var_probefunc(BodyContext*) { return reinterpret_cast<uint64_t>("read"); }

template <typename Function>
BodySymbol symbol(std::string_view name, Function* function) {
  return {name, reinterpret_cast<const void*>(function)};
}

inline std::vector<BodySymbol> helpers() {
  return {symbol("sonde_fault", fault),
          symbol("sonde_may_load", may_touch),
          symbol("sonde_may_store", may_touch),
          symbol("sonde_slot_word", slot_word),
          symbol("sonde_slot_text", slot_text),
          symbol("sonde_store_string", store_string),
          symbol("sonde_compare_strings", compare_strings),
          symbol("sonde_array_load", array_load),
          symbol("sonde_array_store", array_store),
          symbol("sonde_aggregate", aggregate),
          symbol("sonde_act_trace", act_trace),
          symbol("sonde_fn_strlen", fn_strlen),
          symbol("sonde_fn_strjoin", fn_strjoin),
          symbol("sonde_fn_rand", fn_rand),
          symbol("sonde_var_probefunc", var_probefunc)};
}

/// A context with a record that has slots, and with cells.
struct Bench {
  explicit Bench(const BodyProgram& program)
      : globals(program.global_cells + 1), self(program.self_cells + 1), locals(program.this_cells + 1) {
    std::memset(storage, 0, sizeof(storage));
    context.record = record();
    context.slots = record()->slot;
    context.globals = globals.data();
    context.self = self.data();
    context.locals = locals.data();
    for (const VariableDesc& variable :
         program.variables) {  // a string that was never assigned is ""; one of a thread is NULL
      if (variable.type.kind != ValueType::Kind::String || variable.scope == VariableDesc::Scope::Self) continue;
      (variable.scope == VariableDesc::Scope::Global ? globals : locals)[variable.cell] =
          reinterpret_cast<uint64_t>("");
    }
  }
  sonde_record* record() { return reinterpret_cast<sonde_record*>(storage); }

  BodyContext context{};
  std::vector<uint64_t> globals, self, locals;
  alignas(8) unsigned char storage[sizeof(sonde_record) + 8 * SONDE_MAX_SLOTS];
};

}  // namespace sonde::test::fake
