// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/prompt/entries.h"

#include <cerrno>
#include <charconv>
#include <numeric>
#include <utility>

#include "cli/unfired.h"

namespace sonde {
void Entries::note_given(std::span<const SourceText> texts, std::span<const CompiledText> compiled) {
  const std::vector<uint32_t>& enabled = session_.tracing().enabled();
  size_t at = 0;
  for (size_t i = 0; i < compiled.size(); i++) {
    const size_t count = session_.compiler().enablings(compiled[i]).size();
    all_.push_back({texts[i].text, compiled[i], {enabled.begin() + at, enabled.begin() + at + count}, true});
    at += count;
  }
}

Result<Entries::Entry> Entries::compile(const std::string& text, bool destructive_allowed) {
  SourceText source{SourceText::Kind::Name, text, text};
  auto compiled = session_.compile({&source, 1}, {});
  if (!compiled) return std::move(compiled).error();
  const CompiledText& result = compiled->front();
  for (uint32_t i = result.first; i < result.first + result.count; i++)
    if (session_.program().clauses[i].destructive && !destructive_allowed)
      return Error("destructive actions are not allowed: start sonde with -w", EPERM);
  auto enablings = session_.enable(result);
  if (!enablings) return std::move(enablings).error();
  return Entry{text, result, std::move(*enablings), true};
}

Result<const Entries::Entry*> Entries::add(const std::string& text, bool destructive_allowed) {
  auto entry = compile(text, destructive_allowed);
  if (!entry) return std::move(entry).error();
  all_.push_back(std::move(*entry));
  return &all_.back();
}

Result<void> Entries::add_disabled(const std::string& text) {
  SourceText source{SourceText::Kind::Name, text, text};
  auto compiled = session_.compile({&source, 1}, {});
  if (!compiled) return std::move(compiled).error();
  all_.push_back({text, compiled->front(), {}, false});
  return {};
}

Result<const Entries::Entry*> Entries::replace(Entry& entry, const std::string& text, bool destructive_allowed) {
  auto anew = compile(text, destructive_allowed);
  if (!anew) return std::move(anew).error();
  if (auto done = disable(entry); !done) return std::move(done).error();
  entry = std::move(*anew);
  return &entry;
}

Result<void> Entries::enable(Entry& entry) {
  auto enablings = session_.enable(entry.compiled);
  if (!enablings) return std::move(enablings).error();
  entry.enablings = std::move(*enablings);
  entry.enabled = true;
  return {};
}

Result<void> Entries::disable(Entry& entry) {
  for (uint32_t enabling : std::exchange(entry.enablings, {}))
    if (auto done = session_.framework().disable(enabling); !done) return done;
  entry.enabled = false;
  return {};
}

Entries::Entry* Entries::find(std::string_view number) {
  size_t value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  const bool is_number = error == std::errc() && end == number.data() + number.size();
  return !is_number || value == 0 || value > all_.size() ? nullptr : &all_[value - 1];
}

/// Of a text with BEGIN beside other probes nothing is said: its enablings are fewer than its clauses.
std::string Entries::note_on(const Entry& entry) const {
  std::vector<uint32_t> clauses(entry.compiled.count);
  std::iota(clauses.begin(), clauses.end(), entry.compiled.first);
  return clauses.size() == entry.enablings.size() ? unfired_note(session_, entry.enablings, clauses) : "";
}

std::string Entries::listing() const {
  std::string text;
  for (size_t i = 0; i < all_.size(); i++) {
    const std::string note = note_on(all_[i]);
    text += std::to_string(i + 1) + (all_[i].enabled ? "  " : "  (disabled) ") + all_[i].text + "\n" +
            (note.empty() ? "" : "     " + note + "\n");
  }
  return text;
}

std::string Entries::text(size_t& left_out) const {
  std::string text;
  left_out = 0;
  for (const Entry& entry : all_) {
    if (entry.enabled)
      text += entry.text + (entry.text.ends_with('\n') ? "\n" : "\n\n");
    else
      left_out++;
  }
  return text;
}

}  // namespace sonde
