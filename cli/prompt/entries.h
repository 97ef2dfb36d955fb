// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/session.h"

namespace sonde {

/// The clauses of a prompt, by number. An entry is what was typed at once; it may hold several clauses.
class Entries {
 public:
  struct Entry {
    std::string text;
    CompiledText compiled;
    std::vector<uint32_t> enablings;  ///< none: it is disabled, or held nothing but BEGIN
    bool enabled = true;
  };

  explicit Entries(Session& session) : session_(session) {}

  /// What the command line has enabled, in its order.
  void note_given(std::span<const SourceText> texts, std::span<const CompiledText> compiled);
  /// Compiles and enables a text, and gives it the next number. Errors: the compiler's diagnostics; EPERM, it holds
  /// destructive actions, which this run does not allow; those of enabling.
  Result<const Entry*> add(const std::string& text, bool destructive_allowed);
  /// The same for one that stays disabled. Errors: the compiler's diagnostics.
  Result<void> add_disabled(const std::string& text);
  /// Puts a text in the place of an entry, which is disabled once the text is enabled. Errors: as add(); then the entry
  /// stays.
  Result<const Entry*> replace(Entry& entry, const std::string& text, bool destructive_allowed);
  /// Errors: those of the framework.
  Result<void> disable(Entry& entry);
  /// Errors: those of enabling.
  Result<void> enable(Entry& entry);

  /// The entry of that number, as typed; null: there is none.
  Entry* find(std::string_view number);
  const std::vector<Entry>& all() const { return all_; }
  std::vector<Entry>& all() { return all_; }
  /// A line for each, with its number.
  std::string listing() const;
  /// The enabled entries as D text; `left_out`: how many are disabled.
  std::string text(size_t& left_out) const;

 private:
  std::string note_on(const Entry& entry) const;
  Result<Entry> compile(const std::string& text, bool destructive_allowed);

  Session& session_;
  std::vector<Entry> all_;
};

}  // namespace sonde
