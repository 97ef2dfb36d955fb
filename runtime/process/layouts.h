// SPDX-License-Identifier: GPL-3.0-or-later
// What the addresses of a process mean, and when
//
// An address belongs to a time: the process may exec another program at the same addresses, close a library and open
// another in its place, or end and leave its pid to someone else. What is known are facts: "at this time, this file was
// mapped here". They come late and in any order, because sources send them beside the records.
//
//   time   |------ layout 1 ------|--- layout 2 ---|- layout 3 -|--- layout 4 ---->
//           program A              A: dlclose and    A: again     exec: program B
//                                  dlopen            a library    (fresh)
//
// A layout is a time in which no address changes its meaning. A fact that contradicts one ends it; a fact about another
// address is added to it. A fresh layout begins with an exec, or with the end of the pid's last user: nothing from
// before holds in it, and nothing of it before.
//
// Keys of aggregations name a layout. of() picks the first one in which all addresses of the key have the same meaning
// as at the record's time. So a stack that is not affected by a change, or that comes back with the program, stays one
// element.
//
// A process may change its mappings for days. Records are read in the order of time, so forget_before() lets go the layouts
// that ended a second before a record; while none comes, the last kMostLayouts are kept. What a key names lives as long as
// its number (Symbolizer), and has by then all that was known of its addresses.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "runtime/base/ids.h"
#include "runtime/process/jit_map.h"
#include "runtime/process/proc_maps.h"

namespace sonde {

struct ResolvedSymbol {
  std::string module;    ///< base name of the object; empty: unknown
  std::string function;  ///< empty: unknown
  uint64_t offset = 0;   ///< from the function's first byte; without a function: the address as linked
  uint64_t address = 0;
  bool linked = false;               ///< the object could be read, so `offset` is valid
  bool ends_signal_handler = false;  ///< a sigreturn system call begins here
};

/// A mapping, and the first time at which it is known to have been there.
struct SeenEntry : MapEntry {
  Nanoseconds seen = 0;
};

/// What the user has been told about a program's stacks (lacking.h).
struct ToldLacks {
  uint32_t kinds = 0;
  bool of_parent = false;  ///< those of the process that has forked it have been added
};

struct Layout {
  Nanoseconds from = 0;
  bool fresh = false;
  uint32_t space = 0;                                               ///< its number as keys have it; 0: none yet
  std::map<uint64_t, SeenEntry> maps;                               ///< executable mappings, by start
  std::shared_ptr<JitMap> jit;                                      ///< code that the program's runtime has compiled
  std::shared_ptr<ToldLacks> told = std::make_shared<ToldLacks>();  ///< of the program, which may have several layouts
  std::unordered_map<uint64_t, ResolvedSymbol> known;
  std::unordered_set<uint64_t> missed;  ///< pages for which the mappings were read again without success

  const SeenEntry* find(uint64_t address) const;
};

/// Of one pid.
class Layouts {
 public:
  Layouts();

  /// At `time`, `entry` was mapped. Both are of executable memory.
  void add(Nanoseconds time, const MapEntry& entry);
  /// At `time`, the pid got another program, or its process ended.
  void begin_program(Nanoseconds time);

  const std::shared_ptr<Layout>& at(Nanoseconds time) const;
  /// The first layout in which the addresses mean what they mean at `time`.
  const std::shared_ptr<Layout>& of(Nanoseconds time, std::span<const uint64_t> addresses);
  /// The mapping of an address in a layout or, if nothing is known there, in one nearby of the same program.
  const SeenEntry* find(const Layout& layout, uint64_t address) const;
  bool is_last(const Layout& layout) const { return timeline_.back().get() == &layout; }
  const std::shared_ptr<Layout>& last() const { return timeline_.back(); }
  /// A record of `time` is read: layouts that ended a second before it are no more those of their times.
  void forget_before(Nanoseconds time);
  /// Those that have a time, in its order.
  const std::vector<std::shared_ptr<Layout>>& timeline() const { return timeline_; }
  /// Forgets the meanings of layouts that have no number and whose time is over.
  void forget_meanings();
  size_t meanings() const { return meanings_.size(); }

 private:
  using Timeline = std::vector<std::shared_ptr<Layout>>;
  size_t index_at(Nanoseconds time) const;
  Layout& layout_for(Nanoseconds time, const MapEntry& entry);
  void split(size_t index, Nanoseconds from, bool fresh);
  void drop_front();
  std::shared_ptr<Layout> first_with(uint64_t meaning, std::span<const uint64_t> addresses,
                                     const std::shared_ptr<Layout>& layout);
  uint64_t meaning(const Layout& layout, std::span<const uint64_t> addresses) const;

  Timeline timeline_;                                               ///< by time; never empty
  std::shared_ptr<Layout> first_;                                   ///< of all times
  bool changed_ = false;                                            ///< there has been a second one
  std::unordered_map<uint64_t, std::shared_ptr<Layout>> meanings_;  ///< the layout that was returned for each
  Timeline returned_;                                               ///< the last ones among these, each once
};

}  // namespace sonde
