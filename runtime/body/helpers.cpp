// SPDX-License-Identifier: GPL-3.0-or-later
// The helpers of context.h that generated code calls for captures, memory, variables and aggregations.
#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

#include "runtime/base/check.h"
#include "runtime/base/page.h"
#include "runtime/body/state.h"
#include "runtime/framework/self_env.h"

namespace sonde {
namespace {

/// What the addresses mean in the process of the record, at its time.
uint32_t space_of(BodyContext* context, std::span<const uint64_t> addresses) {
  return context->state->format.names->space(context->record->pid, context->record->timestamp, addresses);
}

constexpr uint32_t kMostRanges = 4096;

struct Range {
  uint64_t begin, end;
};

/// Sorted by address. Only grows; see register_constant_range().
std::vector<Range>& constant_ranges() {
  static std::vector<Range> ranges;
  return ranges;
}

uint64_t reach_in(uint64_t address, uint64_t begin, uint64_t end) {
  return address >= begin && address < end ? end - address : 0;
}

uint64_t reach_in_constants(uint64_t address) {
  const std::vector<Range>& ranges = constant_ranges();
  auto after = std::ranges::upper_bound(ranges, address, {}, &Range::begin);
  return after == ranges.begin() ? 0 : reach_in(address, std::prev(after)->begin, std::prev(after)->end);
}

/// How far the texts of the probe (probefunc and the like) can be read from `address`; 0: it is not in one.
uint64_t reach_in_probe(const ProbeInfo& probe, uint64_t address) {
  for (const std::string* text : {&probe.provider, &probe.module, &probe.function, &probe.name}) {
    auto begin = reinterpret_cast<uint64_t>(text->c_str());
    if (uint64_t reach = reach_in(address, begin, begin + text->size() + 1)) return reach;
  }
  return 0;
}

/// The next aggregation's state.
const int64_t* take_state(FoldedStates& folded, uint64_t words) {
  SONDE_CHECK(folded.left.size() >= words);
  const int64_t* state = folded.left.data();
  folded.left = folded.left.subspan(words);
  return state;
}

void fault(BodyContext* context, Fault code, uint64_t value) {
  sonde_fault(context, static_cast<uint64_t>(code), value);
}

/// Faults for memory that cannot be read. A kernel address is reported as such, unless the clause reads the kernel's
/// memory.
void bad_address(BodyContext* context, uint64_t address) {
  const FireProgram* fire = context->clause->fire.get();
  const sonde_dif_program program = fire != nullptr ? fire->view() : sonde_dif_program{};
  const bool kernel = static_cast<int64_t>(address) < 0 && sonde_is_argument(address) == 0;
  const bool out_of_reach = kernel && sonde_dif_needs(&program).kernel == 0;
  fault(context, out_of_reach ? Fault::KernelAccess : Fault::BadAddress, address);
}

/// Whether the slot was captured; else faults.
bool captured(BodyContext* context, uint32_t slot) {
  SONDE_CHECK(slot < context->record->slots);
  if ((context->record->faults >> slot & 1) == 0) return true;
  bad_address(context, context->slots[slot]);
  return false;
}

const uint8_t* span_bytes(const BodyContext* context, uint64_t span) {
  return reinterpret_cast<const uint8_t*>(context->record) + SONDE_SPAN_OFFSET(span);
}

/// Reads the process that fired; if that is sonde itself, only what its probes may read.
bool read_process(const BodyContext* context, uint64_t address, std::span<uint8_t> to) {
  if (context->record->pid == self_pid())
    return self_env().read_user(nullptr, address, to.data(), static_cast<uint32_t>(to.size())) == 0;
  ThreadControl* threads = context->state->threads;
  return threads != nullptr && threads->read_memory(context->record->pid, address, to).has_value();
}

/// The text at `address`; at most `most` bytes.
std::optional<std::string> read_text(const BodyContext* context, uint64_t address, uint64_t most) {
  std::string text;
  while (text.size() < most) {
    uint64_t at = address + text.size();
    uint64_t length = std::min(kPage - at % kPage, most - text.size());
    std::vector<uint8_t> piece(length);
    if (!read_process(context, at, piece)) return std::nullopt;
    const auto* chars = reinterpret_cast<const char*>(piece.data());
    size_t here = strnlen(chars, length);
    text.append(chars, here);
    if (here < length) break;
  }
  return text;
}

}  // namespace

void register_constant_range(const void* begin, size_t size) {
  std::vector<Range>& ranges = constant_ranges();
  SONDE_CHECK(ranges.size() < kMostRanges * 1024);
  Range range{reinterpret_cast<uint64_t>(begin), reinterpret_cast<uint64_t>(begin) + size};
  ranges.insert(std::ranges::upper_bound(ranges, range.begin, {}, &Range::begin), range);
}

uint64_t loadable(const BodyContext* context, uint64_t address) {
  if (uint64_t reach = reach_in(address, context->scratch_begin, context->scratch_end)) return reach;
  auto record = reinterpret_cast<uint64_t>(context->record);
  if (uint64_t reach = reach_in(address, record, record + context->record->size)) return reach;
  if (uint64_t reach = context->state->pool.reach(address)) return reach;
  if (uint64_t reach = reach_in_constants(address)) return reach;
  return reach_in_probe(*context->probe, address);
}

uint8_t* take_scratch(BodyContext* context, uint64_t bytes) {
  Scratch& scratch = context->state->scratch;
  uint8_t* piece = scratch.take(bytes);
  if (piece == nullptr) {
    fault(context, Fault::NoScratch, 0);
    return nullptr;
  }
  context->scratch_end = scratch.end();
  return piece;
}

uint64_t make_string(BodyContext* context, std::string_view text) {
  text = text.substr(0, context->state->strsize);
  uint8_t* piece = take_scratch(context, text.size() + 1);
  if (piece == nullptr) return 0;
  std::memcpy(piece, text.data(), text.size());
  return reinterpret_cast<uint64_t>(piece);
}

std::string_view string_argument(BodyContext* context, uint64_t word) {
  if (word == 0) {
    fault(context, Fault::BadAddress, 0);
    return "";
  }
  const char* text = reinterpret_cast<const char*>(word);
  return {text, strnlen(text, context->state->strsize)};
}

extern "C" {

void sonde_fault(BodyContext* context, uint64_t code, uint64_t value) {
  if (context->fault != 0) return;
  context->fault = code;
  context->fault_value = value;
}

uint64_t sonde_slot_word(BodyContext* context, uint32_t slot) {
  return captured(context, slot) ? context->slots[slot] : 0;
}

uint64_t sonde_slot_text(BodyContext* context, uint32_t slot) {
  if (!captured(context, slot)) return 0;
  uint64_t span = context->slots[slot];
  if (span == 0) return reinterpret_cast<uint64_t>("");
  const auto* text = reinterpret_cast<const char*>(span_bytes(context, span));
  uint32_t length = SONDE_SPAN_LENGTH(span);
  if (length + 1 >= context->state->strsize) ++context->state->full_strings;
  if (length <= context->state->strsize) return reinterpret_cast<uint64_t>(text);
  return make_string(context, {text, length});
}

uint64_t sonde_slot_bytes(BodyContext* context, uint32_t slot) {
  if (!captured(context, slot)) return 0;
  uint64_t span = context->slots[slot];
  uint32_t length = SONDE_SPAN_LENGTH(span);
  uint8_t* copy = take_scratch(context, length + 1);
  if (copy != nullptr && length != 0) std::memcpy(copy, span_bytes(context, span), length);
  return reinterpret_cast<uint64_t>(copy);
}

uint64_t sonde_slot_stack(BodyContext* context, uint32_t slot) {
  if (!captured(context, slot)) return 0;
  uint64_t span = context->slots[slot];
  uint32_t length = SONDE_SPAN_LENGTH(span);
  uint8_t* memory = take_scratch(context, sizeof(StackValue) + length);
  if (memory == nullptr) return 0;
  auto* stack = reinterpret_cast<StackValue*>(memory);
  stack->count = length / 8;
  if (length != 0) std::memcpy(stack->pc, span_bytes(context, span), length);
  const bool kernel = context->clause->fire->kinds[slot] == SONDE_SLOT_KERNEL_STACK;
  stack->space = kernel ? 0 : space_of(context, {stack->pc, stack->count});
  return reinterpret_cast<uint64_t>(stack);
}

uint64_t sonde_held_copyin(BodyContext* context, uint64_t address, uint64_t size) {
  SONDE_CHECK(context->clause->held);
  if (size > context->state->scratch.capacity()) {
    fault(context, Fault::BadSize, size);
    return 0;
  }
  uint8_t* copy = take_scratch(context, size + 1);
  if (copy == nullptr || size == 0) return reinterpret_cast<uint64_t>(copy);
  if (read_process(context, address, {copy, size})) return reinterpret_cast<uint64_t>(copy);
  bad_address(context, address);
  return 0;
}

uint64_t sonde_held_copyinstr(BodyContext* context, uint64_t address, uint64_t max) {
  SONDE_CHECK(context->clause->held);
  const uint64_t strsize = context->state->strsize;
  const uint64_t most = std::max<uint64_t>(1, max == 0 ? strsize : std::min(max, strsize)) - 1;  // both include the NUL
  const auto text = read_text(context, address, most);
  if (text && text->size() + 1 >= strsize) ++context->state->full_strings;
  if (text) return make_string(context, *text);
  bad_address(context, address);
  return 0;
}

uint32_t sonde_may_load(BodyContext* context, uint64_t address, uint64_t size) {
  uint64_t reach = loadable(context, address);
  if (reach != 0 && size <= reach) return 1;
  bad_address(context, address);
  return 0;
}

uint32_t sonde_may_store(BodyContext* context, uint64_t address, uint64_t size) {
  uint64_t reach = reach_in(address, context->scratch_begin, context->scratch_end);
  if (reach == 0) reach = context->state->pool.reach(address);
  if (reach != 0 && size <= reach) return 1;
  fault(context, Fault::BadAddress, address);
  return 0;
}

void sonde_store_string(BodyContext* context, uint64_t* cell, uint64_t text) {
  if (!context->state->variables.store_string(cell, reinterpret_cast<const char*>(text)))
    ++context->state->dynamic_drops;
}

void sonde_store_bytes(BodyContext* context, uint64_t* cell, uint64_t from, uint32_t size) {
  if (!context->state->variables.store_bytes(cell, reinterpret_cast<const void*>(from), size))
    ++context->state->dynamic_drops;
}

uint64_t sonde_cell_bytes(BodyContext* context, uint64_t* cell, uint32_t size) {
  if (uint8_t* buffer = context->state->variables.buffer(cell, size)) return reinterpret_cast<uint64_t>(buffer);
  // There is no memory for the variable: the clause stores to scratch, which is lost at its end.
  ++context->state->dynamic_drops;
  return reinterpret_cast<uint64_t>(take_scratch(context, size));
}

uint64_t sonde_array_load(BodyContext* context, uint32_t array, const uint64_t* keys) {
  return context->state->arrays.load(array, context->record->tid, keys);
}

void sonde_array_store(BodyContext* context, uint32_t array, const uint64_t* keys, uint64_t value) {
  if (!context->state->arrays.store(array, context->record->tid, keys, value)) ++context->state->dynamic_drops;
}

int64_t sonde_compare_strings(BodyContext* context, uint64_t a, uint64_t b) {
  if (a == 0 || b == 0) return int64_t{a != 0} - int64_t{b != 0};
  return std::strncmp(reinterpret_cast<const char*>(a), reinterpret_cast<const char*>(b), context->state->strsize);
}

uint64_t sonde_string_of(BodyContext* context, uint64_t address, uint64_t size) {
  uint64_t reach = loadable(context, address);
  if (reach == 0) {
    bad_address(context, address);
    return 0;
  }
  const char* text = reinterpret_cast<const char*>(address);
  uint64_t most = std::min({reach, size, uint64_t{context->state->strsize}});
  return make_string(context, {text, strnlen(text, most)});
}

uint64_t sonde_text_memory(BodyContext* context, uint64_t text) {
  const uint64_t strsize = context->state->strsize;
  if (text == 0 || loadable(context, text) >= strsize) return text;
  const auto* from = reinterpret_cast<const char*>(text);
  uint8_t* copy = take_scratch(context, strsize);
  if (copy != nullptr) std::memcpy(copy, from, strnlen(from, strsize));
  return reinterpret_cast<uint64_t>(copy);
}

void sonde_store_text(BodyContext* context, uint64_t address, uint64_t text, uint64_t size) {
  if (!sonde_may_store(context, address, size)) return;
  const char* from = text == 0 ? "" : reinterpret_cast<const char*>(text);
  size_t length = strnlen(from, std::min(size, uint64_t{context->state->strsize}));
  char* to = reinterpret_cast<char*>(address);
  std::memmove(to, from, length);
  if (length < size) std::memset(to + length, 0, size - length);
}

uint64_t sonde_scratch(BodyContext* context, uint64_t size) {
  return reinterpret_cast<uint64_t>(take_scratch(context, size));
}

uint64_t sonde_symbol(BodyContext* context, uint32_t kind, uint64_t address, uint64_t is_return) {
  uint8_t* memory = take_scratch(context, sizeof(SymbolValue));
  if (memory == nullptr) return 0;
  auto symbol = static_cast<SymbolValue::Kind>(kind);
  const bool kernel = symbol == SymbolValue::Sym || symbol == SymbolValue::Func || symbol == SymbolValue::Mod;
  if (symbol == SymbolValue::UAddr && is_return != 0) symbol = SymbolValue::UReturn;
  // All addresses in a function are one key.
  const uint64_t looked_up = symbol == SymbolValue::UReturn || is_return == 0 ? address : address - 1;
  const uint32_t space = kernel ? 0 : space_of(context, {&looked_up, 1});
  const uint64_t key = context->state->format.names->canonical(space, looked_up, symbol);
  const SymbolValue value{symbol, space, key == looked_up ? address : key};
  std::memcpy(memory, &value, sizeof value);
  return reinterpret_cast<uint64_t>(memory);
}

void sonde_aggregate(BodyContext* context, uint32_t aggregation, const uint64_t* keys, int64_t value, int64_t weight) {
  BodyState& state = *context->state;
  AggTable& table = *state.aggregations[aggregation];
  const uint32_t cpu = context->record->cpu;
  const int64_t* words = nullptr;
  if (context->folded != nullptr) words = take_state(*context->folded, table.operations().words(table.desc()));
  const auto put = [=](AggTable& to) { return words != nullptr ? to.merge(keys, words) : to.add(keys, value, weight); };
  const bool kept = put(table) && (!state.per_cpu || put(table.share_of(cpu)));
  if (kept && (!state.deltas || put(table.interval()))) [[likely]]
    return;
  state.aggregation_drops[cpu] += context->folded != nullptr ? context->folded->firings : 1;
}

}  // extern "C"

}  // namespace sonde
