// SPDX-License-Identifier: GPL-3.0-or-later
// The cells of global, thread-local and clause-local variables
//
//   globals  one block                       a string begins as ""
//   self     one block a thread, when first  a string begins as NULL; storing 0 gives its buffer back
//            asked for; costs dynvarsize
//   this     one block, zeroed each firing   buffers are kept from firing to firing
//
// A cell of a string, struct or array points to a buffer of the pool. A value that the clause has loaded may still
// point to a buffer that was given back; so it can be reused only when the clause has ended.
//
// When dynvarsize is used up, threads whose cells are all 0 are removed. If that is not enough, a thread gets temporary
// cells, whose contents are lost, and each such clause counts a drop.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/agg/table.h"
#include "runtime/body/memory.h"
#include "runtime/program/program.h"

namespace sonde {

class VariableStore {
 public:
  /// All references must outlive the store.
  VariableStore(const BodyProgram& program, BufferPool& pool, MemoryBudget& budget, uint32_t strsize);
  ~VariableStore();
  VariableStore(const VariableStore&) = delete;
  VariableStore& operator=(const VariableStore&) = delete;

  /// Makes room for variables that were added to the program. Cells may move.
  void grow();

  uint64_t* globals() { return globals_.cells.data(); }
  uint64_t* locals() { return locals_.cells.data(); }
  /// The thread's cells; makes it the firing's thread.
  uint64_t* self(uint32_t tid);

  /// Zeroes this->.
  void begin_firing() {
    if (!locals_.cells.empty()) reset_locals();
  }
  /// Makes buffers that were given back available. Returns drops.
  uint64_t end_clause() {
    if (!pending_.empty()) release_pending();
    return current_ == sink_.data() && !sink_.empty() ? drain_sink() : 0;
  }

  /// False: there is no memory (a drop).
  bool store_string(uint64_t* cell, const char* text);
  bool store_bytes(uint64_t* cell, const void* from, uint32_t size);
  /// The cell's buffer, made if there is none; null: there is no memory.
  uint8_t* buffer(uint64_t* cell, uint32_t size);

  /// Frees a buffer of the pool when the clause has ended.
  void release_later(uint8_t* buffer, uint32_t bytes) { pending_.emplace_back(buffer, bytes); }

 private:
  struct Shape {
    uint32_t bytes = 0;  ///< of the buffer; 0: an integer
    bool is_string = false;
  };
  struct Cells {
    std::vector<uint64_t> cells;
    std::vector<Shape> shapes;
  };
  struct Thread {
    uint64_t key = 0;  ///< tid + 1; 0: free
    std::unique_ptr<uint64_t[]> cells;
  };
  struct Place {
    VariableDesc::Scope scope;
    uint32_t cell;
  };

  Shape shape_of(const ValueType& type) const;
  Place place_of(const uint64_t* cell) const;
  const Shape& shape_at(Place place) const;
  void reset_locals();
  uint64_t* make_thread(uint32_t tid);
  Thread& thread_slot(std::vector<Thread>& threads, uint64_t key);
  void grow_threads();
  bool forget_idle_threads();
  void free_cell(uint64_t* cell, Place place);
  void release_pending();
  uint64_t drain_sink();

  const BodyProgram& program_;
  BufferPool& pool_;
  MemoryBudget& budget_;
  uint32_t strsize_;
  size_t known_ = 0;  // number of the program's variables that have a cell
  Cells globals_, locals_;
  std::vector<uint8_t*> local_buffers_;
  std::vector<Shape> self_shapes_;
  std::vector<Thread> threads_;
  uint64_t thread_count_ = 0;
  uint64_t self_bytes_ = 0;  ///< counted for the numbers and pointers of one thread
  std::vector<uint64_t> sink_;
  uint64_t* current_ = nullptr;
  uint64_t current_key_ = 0;
  std::vector<std::pair<uint8_t*, uint32_t>> pending_;
};

}  // namespace sonde
