// SPDX-License-Identifier: GPL-3.0-or-later
// Associative arrays: elements by encoded keys. A thread-local array has the tid as its first key.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_set>
#include <vector>

#include "runtime/agg/key_table.h"
#include "runtime/agg/keys.h"
#include "runtime/agg/table.h"
#include "runtime/body/memory.h"
#include "runtime/body/variable_store.h"
#include "runtime/program/program.h"

namespace sonde {

class ArrayStore {
 public:
  /// All references must outlive the store.
  ArrayStore(const BodyProgram& program, BufferPool& pool, VariableStore& variables, MemoryBudget& budget,
             uint32_t strsize);
  ~ArrayStore();
  ArrayStore(const ArrayStore&) = delete;
  ArrayStore& operator=(const ArrayStore&) = delete;

  /// Makes tables for arrays that were added to the program.
  void grow();

  /// The element's word, 0 if there is no element. The buffer of a string or struct stays valid until the clause has
  /// ended.
  uint64_t load(uint32_t array, uint32_t tid, const uint64_t* keys);
  /// Storing 0 deletes the element. False: there is no memory (a drop).
  bool store(uint32_t array, uint32_t tid, const uint64_t* keys, uint64_t value);

  /// Adds the spaces that its keys and stacks name.
  void add_spaces(std::unordered_set<uint32_t>& spaces) const;

 private:
  struct Table {
    const ArrayDesc* desc;
    KeyCodec codec;
    KeyTable elements;
    std::vector<uint64_t> words;  // keys, with the tid first
    std::vector<uint64_t> key;
    uint32_t value_bytes;    // of the buffer; 0: an integer
    uint64_t key_bytes = 0;  // of the encoded key in `key`
    uint64_t hash = 0;
  };

  KeyedEntry* find(Table& table, uint32_t tid, const uint64_t* keys);
  KeyedEntry* make(Table& table);
  void remove(Table& table, KeyedEntry* entry);
  uint64_t cost(const Table& table, uint64_t key_bytes) const;
  void fill(const Table& table, KeyedEntry* entry, uint64_t value);

  const BodyProgram& program_;
  BufferPool& pool_;
  VariableStore& variables_;
  MemoryBudget& budget_;
  uint32_t strsize_;
  std::deque<Table> tables_;
};

}  // namespace sonde
