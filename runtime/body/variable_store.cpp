// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/body/variable_store.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/check.h"

namespace sonde {

using Scope = VariableDesc::Scope;

VariableStore::VariableStore(const BodyProgram& program, BufferPool& pool, MemoryBudget& budget, uint32_t strsize)
    : program_(program), pool_(pool), budget_(budget), strsize_(strsize) {
  grow();
}

VariableStore::~VariableStore() = default;

VariableStore::Shape VariableStore::shape_of(const ValueType& type) const {
  switch (type.kind) {
    case ValueType::Kind::Integer:
    case ValueType::Kind::Pointer:
    case ValueType::Kind::Float: return {};
    case ValueType::Kind::String: return {strsize_ + 1, true};
    case ValueType::Kind::Bytes: return {std::max(type.size, 1u), false};
    case ValueType::Kind::Symbol: return {sizeof(SymbolValue), false};
    case ValueType::Kind::Stack: return {sizeof(StackValue) + 8 * KeyCodec::kMaxFrames, false};
  }
  SONDE_CHECK(false);
}

void VariableStore::grow() {
  globals_.cells.resize(program_.global_cells);
  globals_.shapes.resize(program_.global_cells);
  locals_.cells.resize(program_.this_cells);
  locals_.shapes.resize(program_.this_cells);
  local_buffers_.resize(program_.this_cells);
  if (self_shapes_.size() != program_.self_cells) grow_threads();
  for (; known_ < program_.variables.size(); ++known_) {
    const VariableDesc& variable = program_.variables[known_];
    Shape shape = shape_of(variable.type);
    switch (variable.scope) {
      case Scope::Global:
        globals_.shapes.at(variable.cell) = shape;
        if (shape.is_string) globals_.cells[variable.cell] = reinterpret_cast<uint64_t>(pool_.take(shape.bytes));
        break;
      case Scope::This:
        locals_.shapes.at(variable.cell) = shape;
        if (shape.bytes != 0) local_buffers_[variable.cell] = pool_.take(shape.bytes);
        break;
      case Scope::Self:
        self_shapes_.at(variable.cell) = shape;
        if (shape.bytes != 0) break;
        self_bytes_ += variable.type.size;
        budget_.used += thread_count_ * variable.type.size;
        break;
    }
  }
}

void VariableStore::reset_locals() {
  for (size_t i = 0; i < locals_.cells.size(); ++i) {
    locals_.cells[i] = 0;
    if (!locals_.shapes[i].is_string) continue;
    local_buffers_[i][0] = 0;
    locals_.cells[i] = reinterpret_cast<uint64_t>(local_buffers_[i]);
  }
}

// Threads: a hash table with open addressing, by tid.

VariableStore::Thread& VariableStore::thread_slot(std::vector<Thread>& threads, uint64_t key) {
  size_t mask = threads.size() - 1;
  size_t at = (key * 0x9e3779b97f4a7c15ull >> 32) & mask;
  while (threads[at].key != 0 && threads[at].key != key) at = (at + 1) & mask;
  return threads[at];
}

uint64_t* VariableStore::self(uint32_t tid) {
  if (self_shapes_.empty()) return nullptr;
  uint64_t key = uint64_t{tid} + 1;
  if (current_key_ == key && current_ != nullptr) return current_;
  current_key_ = key;
  if (!threads_.empty()) {
    Thread& thread = thread_slot(threads_, key);
    if (thread.key == key) return current_ = thread.cells.get();
  }
  return current_ = make_thread(tid);
}

uint64_t* VariableStore::make_thread(uint32_t tid) {
  if (!budget_.fits(self_bytes_) && !(forget_idle_threads() && budget_.fits(self_bytes_))) {
    current_key_ = 0;  // looked up again at the next firing
    std::ranges::fill(sink_, 0);
    return sink_.data();
  }
  if ((thread_count_ + 1) * 2 > threads_.size()) {
    std::vector<Thread> larger(threads_.empty() ? 64 : threads_.size() * 2);
    for (Thread& thread : threads_)
      if (thread.key != 0) thread_slot(larger, thread.key) = std::move(thread);
    threads_ = std::move(larger);
  }
  budget_.used += self_bytes_;
  ++thread_count_;
  Thread& thread = thread_slot(threads_, uint64_t{tid} + 1);
  thread.key = uint64_t{tid} + 1;
  thread.cells = std::make_unique<uint64_t[]>(self_shapes_.size());
  return thread.cells.get();
}

bool VariableStore::forget_idle_threads() {
  std::vector<Thread> kept(std::max<size_t>(threads_.size(), 64));
  uint64_t before = thread_count_;
  thread_count_ = 0;
  for (Thread& thread : threads_) {
    if (thread.key == 0) continue;
    const uint64_t* cells = thread.cells.get();
    if (std::all_of(cells, cells + self_shapes_.size(), [](uint64_t cell) { return cell == 0; })) {
      budget_.used -= self_bytes_;
      continue;
    }
    ++thread_count_;
    thread_slot(kept, thread.key) = std::move(thread);
  }
  threads_ = std::move(kept);
  return thread_count_ < before;
}

void VariableStore::grow_threads() {
  size_t old = self_shapes_.size();
  self_shapes_.resize(program_.self_cells);
  sink_.resize(program_.self_cells);
  for (Thread& thread : threads_) {
    if (thread.key == 0) continue;
    auto cells = std::make_unique<uint64_t[]>(program_.self_cells);
    std::copy_n(thread.cells.get(), old, cells.get());
    thread.cells = std::move(cells);
  }
  if (old == 0) {  // blocks without cells were not allocated
    threads_.clear();
    thread_count_ = 0;
  }
  current_ = nullptr;
}

uint64_t VariableStore::drain_sink() {
  uint64_t drops = static_cast<uint64_t>(std::ranges::count_if(sink_, [](uint64_t cell) { return cell != 0; }));
  std::ranges::fill(sink_, 0);
  return drops;
}

// Buffers.

VariableStore::Place VariableStore::place_of(const uint64_t* cell) const {
  auto within = [cell](const std::vector<uint64_t>& cells) {
    return cell >= cells.data() && cell < cells.data() + cells.size();
  };
  if (within(globals_.cells)) return {Scope::Global, static_cast<uint32_t>(cell - globals_.cells.data())};
  if (within(locals_.cells)) return {Scope::This, static_cast<uint32_t>(cell - locals_.cells.data())};
  SONDE_CHECK(current_ != nullptr && cell >= current_ && cell < current_ + self_shapes_.size());
  return {Scope::Self, static_cast<uint32_t>(cell - current_)};
}

const VariableStore::Shape& VariableStore::shape_at(Place place) const {
  switch (place.scope) {
    case Scope::Global: return globals_.shapes[place.cell];
    case Scope::This: return locals_.shapes[place.cell];
    case Scope::Self: return self_shapes_[place.cell];
  }
  SONDE_CHECK(false);
}

uint8_t* VariableStore::buffer(uint64_t* cell, uint32_t size) {
  Place place = place_of(cell);
  const Shape& shape = shape_at(place);
  SONDE_CHECK(shape.bytes >= size);
  if (*cell != 0) return reinterpret_cast<uint8_t*>(*cell);
  uint8_t* fresh = nullptr;
  if (place.scope == Scope::This) {
    fresh = local_buffers_[place.cell];
    std::memset(fresh, 0, shape.bytes);
  } else {
    if (place.scope == Scope::Self) {
      if (current_ == sink_.data() || !budget_.fits(shape.bytes)) return nullptr;
      budget_.used += shape.bytes;
    }
    fresh = pool_.take(shape.bytes);
  }
  *cell = reinterpret_cast<uint64_t>(fresh);
  return fresh;
}

void VariableStore::free_cell(uint64_t* cell, Place place) {
  if (*cell == 0) return;
  const Shape& shape = shape_at(place);
  if (place.scope != Scope::This) release_later(reinterpret_cast<uint8_t*>(*cell), shape.bytes);
  if (place.scope == Scope::Self) budget_.used -= shape.bytes;
  *cell = 0;
}

bool VariableStore::store_string(uint64_t* cell, const char* text) {
  if (text == nullptr) {
    free_cell(cell, place_of(cell));
    return true;
  }
  size_t length = strnlen(text, strsize_);
  uint8_t* to = buffer(cell, strsize_ + 1);
  if (to == nullptr) return false;
  std::memmove(to, text, length);
  to[length] = 0;
  return true;
}

bool VariableStore::store_bytes(uint64_t* cell, const void* from, uint32_t size) {
  if (from == nullptr) {
    free_cell(cell, place_of(cell));
    return true;
  }
  uint8_t* to = buffer(cell, size);
  if (to == nullptr) return false;
  std::memmove(to, from, size);
  return true;
}

void VariableStore::release_pending() {
  for (auto [buffer, bytes] : pending_) pool_.give_back(buffer, bytes);
  pending_.clear();
}

}  // namespace sonde
