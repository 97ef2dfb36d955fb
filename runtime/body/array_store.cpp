// SPDX-License-Identifier: GPL-3.0-or-later
// An element is one block of malloc():
//
//   hash, sizes | words[0]: the value, or a pointer to its buffer in the pool | the encoded key
//
// So a lookup is one hash and one comparison of bytes, and a value is loaded without a copy.
//
// Invariant: no element holds 0: storing 0 deletes it, and its bytes are credited to dynvarsize. The clause may still
// have a pointer into a deleted element's buffer; release_later() keeps the buffer until the clause has ended.
#include "runtime/body/array_store.h"

#include <cstdlib>
#include <cstring>

#include "runtime/base/check.h"

namespace sonde {

using Kind = ValueType::Kind;

ArrayStore::ArrayStore(const BodyProgram& program, BufferPool& pool, VariableStore& variables, MemoryBudget& budget,
                       uint32_t strsize)
    : program_(program), pool_(pool), variables_(variables), budget_(budget), strsize_(strsize) {
  grow();
}

ArrayStore::~ArrayStore() {
  for (Table& table : tables_) table.elements.each([](KeyedEntry* entry) { std::free(entry); });
}

void ArrayStore::grow() {
  while (tables_.size() < program_.arrays.size()) {
    const ArrayDesc& desc = program_.arrays[tables_.size()];
    std::vector<ValueType> keys = desc.keys;
    if (desc.thread_local_) keys.insert(keys.begin(), ValueType{});
    KeyCodec codec(keys, strsize_);
    uint32_t bytes = 0;
    if (desc.value.kind == Kind::String) bytes = strsize_ + 1;
    if (desc.value.kind == Kind::Bytes) bytes = std::max(desc.value.size, 1u);
    if (desc.value.kind == Kind::Symbol) bytes = sizeof(SymbolValue);
    if (desc.value.kind == Kind::Stack) bytes = sizeof(StackValue) + 8 * KeyCodec::kMaxFrames;
    std::vector<uint64_t> buffer(codec.max_bytes() / 8 + 1);
    tables_.push_back({&desc, codec, {}, std::vector<uint64_t>(keys.size()), std::move(buffer), bytes});
  }
}

KeyedEntry* ArrayStore::find(Table& table, uint32_t tid, const uint64_t* keys) {
  if (table.desc->thread_local_) {
    table.words[0] = tid;
    std::copy_n(keys, table.words.size() - 1, table.words.begin() + 1);
    keys = table.words.data();
  }
  auto* key = reinterpret_cast<uint8_t*>(table.key.data());
  table.key_bytes = static_cast<uint64_t>(table.codec.encode(keys, key) - key);
  table.hash = hash_key(key, table.key_bytes);
  return table.elements.find(key, table.key_bytes, table.hash);
}

uint64_t ArrayStore::cost(const Table& table, uint64_t key_bytes) const {
  const uint64_t value = table.value_bytes != 0 ? table.value_bytes : table.desc->value.size;
  return value + 8 + (key_bytes + 7) / 8 * 8;
}

KeyedEntry* ArrayStore::make(Table& table) {
  if (!budget_.fits(cost(table, table.key_bytes))) return nullptr;
  budget_.used += cost(table, table.key_bytes);
  auto* entry = static_cast<KeyedEntry*>(std::malloc(sizeof(KeyedEntry) + 8 + table.key_bytes));
  SONDE_CHECK(entry != nullptr);
  entry->hash = table.hash;
  entry->key_bytes = static_cast<uint32_t>(table.key_bytes);
  entry->key_at = 1;
  entry->words[0] = table.value_bytes == 0 ? 0 : reinterpret_cast<uint64_t>(pool_.take(table.value_bytes));
  std::memcpy(entry->words + 1, table.key.data(), table.key_bytes);
  table.elements.insert(entry);
  return entry;
}

void ArrayStore::remove(Table& table, KeyedEntry* entry) {
  budget_.used -= cost(table, entry->key_bytes);
  if (table.value_bytes != 0) variables_.release_later(reinterpret_cast<uint8_t*>(entry->words[0]), table.value_bytes);
  table.elements.erase(entry);
  std::free(entry);
}

void ArrayStore::fill(const Table& table, KeyedEntry* entry, uint64_t value) {
  if (table.value_bytes == 0) {
    entry->words[0] = value;
    return;
  }
  auto* to = reinterpret_cast<uint8_t*>(entry->words[0]);
  if (table.desc->value.kind == Kind::Stack) {
    put_stack(reinterpret_cast<const StackValue*>(value), KeyCodec::kMaxFrames, to);
    return;
  }
  const auto* from = reinterpret_cast<const char*>(value);
  if (table.desc->value.kind != Kind::String) {
    std::memmove(to, from, table.value_bytes);
    return;
  }
  size_t length = strnlen(from, strsize_);
  std::memmove(to, from, length);
  to[length] = 0;
}

uint64_t ArrayStore::load(uint32_t array, uint32_t tid, const uint64_t* keys) {
  KeyedEntry* entry = find(tables_.at(array), tid, keys);
  return entry == nullptr ? 0 : entry->words[0];
}

bool ArrayStore::store(uint32_t array, uint32_t tid, const uint64_t* keys, uint64_t value) {
  Table& table = tables_.at(array);
  KeyedEntry* entry = find(table, tid, keys);
  if (value == 0) {
    if (entry != nullptr) remove(table, entry);
    return true;
  }
  if (entry == nullptr) entry = make(table);
  if (entry == nullptr) return false;
  fill(table, entry, value);
  return true;
}

void ArrayStore::add_spaces(std::unordered_set<uint32_t>& spaces) const {
  for (const Table& table : tables_) {
    const bool has_stacks = table.desc->value.kind == Kind::Stack;
    table.elements.each([&](const KeyedEntry* element) {
      table.codec.add_spaces(element->key(), spaces);
      if (has_stacks) spaces.insert(reinterpret_cast<const StackValue*>(element->words[0])->space);
    });
  }
}

}  // namespace sonde
