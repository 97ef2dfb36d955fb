// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/body/symbols.h"

#include <array>

#include "runtime/body/context.h"
#include "runtime/body/subroutines.h"

namespace sonde {
namespace {

template <typename Function>
BodySymbol symbol(std::string_view name, Function* function) {
  return {name, reinterpret_cast<const void*>(function)};
}

// Laid out by hand: clang-format does not find a stable layout for it.
// clang-format off
#define SONDE_HELPERS(X) \
  X(slot_word) X(slot_text) X(slot_bytes) X(slot_stack) X(held_copyin) X(held_copyinstr) X(may_load) \
  X(may_store) X(fault) X(store_string) X(store_bytes) X(cell_bytes) X(array_load) X(array_store) \
  X(compare_strings) X(string_of) X(text_memory) X(store_text) X(scratch) X(symbol) X(aggregate)
// clang-format on

const auto kSymbols = std::to_array<BodySymbol>({
#define SONDE_ENTRY(name) symbol("sonde_" #name, sonde_##name),
    SONDE_HELPERS(SONDE_ENTRY)
#undef SONDE_ENTRY
#define SONDE_ENTRY(name) symbol("sonde_fn_" #name, sonde_fn_##name),
        SONDE_SUBROUTINES(SONDE_ENTRY)
#undef SONDE_ENTRY
#define SONDE_ENTRY(name) symbol("sonde_act_" #name, sonde_act_##name),
            SONDE_ACTIONS(SONDE_ENTRY)
#undef SONDE_ENTRY
#define SONDE_ENTRY(name) symbol("sonde_var_" #name, sonde_var_##name),
                SONDE_BODY_VARIABLES(SONDE_ENTRY)
#undef SONDE_ENTRY
});

}  // namespace

std::span<const BodySymbol> body_symbols() { return kSymbols; }

}  // namespace sonde
