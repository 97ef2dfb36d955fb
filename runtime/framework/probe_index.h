// SPDX-License-Identifier: GPL-3.0-or-later
// The probe index
//
// 100,000 probes have few distinct texts in each field. So each field has a dictionary that maps texts to numbers, and
// a probe is four numbers:
//
//   syscall:::entry  -->  provider 2, any, any, name 7
//
//   lists of field "provider": 0 -> ids  1 -> ids  2 -> ids, rising
//   lists of field "name":     ...                  7 -> ids, rising
//
// Lists are chained through the probes themselves: most function names have one probe, or two. A match takes the
// shortest list among the fields that are given exactly, and compares numbers. Only without an exact field does it
// visit all probes, and then it tries each pattern once on each distinct text. Ids only grow, so lists and results are
// sorted. Removal only marks an entry, which keeps its id; a field's lists are rebuilt when half of their entries are dead. Texts are kept,
// because ProbeInfo refers to them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/glob.h"
#include "runtime/base/ids.h"
#include "runtime/base/number_table.h"

namespace sonde {

/// A text that probes have in one of their fields. It lives as long as the index.
struct NameCount {
  const std::string* name;
  size_t probes;
};

class ProbeIndex {
 public:
  enum Field { Provider, Module, Function, Name, kFields };
  using Names = std::array<std::string_view, kFields>;

  /// The texts of a probe's names; they live as long as the index.
  using Texts = std::array<const std::string*, kFields>;

  struct Added {
    ProbeId id;
    bool is_new;
    Texts texts;
  };
  /// Enters a probe, unless a live one has these names: then it returns that one. `id` must be higher than all ids before.
  Added add(ProbeId id, const Names& names);
  /// The live probe with exactly these names; 0: none.
  ProbeId find(const Names& names) const;
  /// `ids` rise.
  void remove(std::span<const ProbeId> ids);

  /// Ids of the live probes that match the four globs, rising.
  std::vector<ProbeId> match(const Names& patterns) const;

  /// The distinct texts that these probes have in a field, each with their number. `ids` rise, and all are live.
  std::vector<NameCount> count_names(std::span<const ProbeId> ids, Field field) const;

  size_t live() const { return live_; }

 private:
  struct Entry {
    uint32_t id;
    bool removed;
    uint32_t numbers[kFields];
    uint32_t next[kFields];  ///< position of the next entry with the same text; or kNone
  };
  static constexpr uint32_t kNone = NumberTable::kNone;
  /// The entries that have a given text, in order.
  struct List {
    uint32_t first = kNone, last = kNone, count = 0;
  };
  struct Text {
    std::string text;
    uint32_t hash = 0;
    List list;
  };
  /// By number. They stay where they are; a block's size is a power of two, so that finding one takes no division.
  class TextList {
   public:
    Text& operator[](uint32_t number) { return blocks_[number / kBlock][number % kBlock]; }
    const Text& operator[](uint32_t number) const { return blocks_[number / kBlock][number % kBlock]; }
    uint32_t size() const { return size_; }
    Text& add() {
      if (size_ % kBlock == 0) blocks_.push_back(std::make_unique<Text[]>(kBlock));
      return (*this)[size_++];
    }

   private:
    static constexpr uint32_t kBlock = 64;
    std::vector<std::unique_ptr<Text[]>> blocks_;
    uint32_t size_ = 0;
  };
  struct Dictionary {
    TextList texts;
    NumberTable numbers;
    std::array<uint32_t, 2> recent = {kNone,
                                      kNone};  ///< of intern(): providers enter many probes of one module, by two names
    uint32_t find_recent(std::string_view text) const;
    uint32_t find(std::string_view text, uint32_t hash) const;
    uint32_t find(std::string_view text) const;
    uint32_t intern(std::string_view text);
  };
  struct Query;

  static size_t hash_of(const uint32_t (&numbers)[kFields]);
  uint32_t find(const uint32_t (&numbers)[kFields]) const;
  void append(uint32_t position, int field);
  void enter(uint32_t position);
  void compact();
  bool prepare(const Names& wanted, Query& query) const;

  std::array<Dictionary, kFields> fields_;
  std::vector<Entry> entries_;  ///< by rising id
  NumberTable by_names_;        ///< positions, removed ones as well
  size_t live_ = 0;
};

}  // namespace sonde
