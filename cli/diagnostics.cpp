// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/diagnostics.h"

#include <algorithm>
#include <optional>

#include "cli/output.h"
#include "cli/trimmed.h"
#include "compiler/parse/outline.h"
#include "compiler/source/prepare.h"
#include "runtime/base/excerpt.h"
#include "runtime/print/json.h"

namespace sonde {
namespace {

constexpr size_t kLongestJson = 1 << 20;  ///< bytes of a string in JSON

std::string_view severity_of(const Diagnostic& diagnostic) { return diagnostic.is_warning ? "warning" : "error"; }

/// Where a diagnostic stands: lines and columns count from 1, columns in bytes.
struct Spot {
  std::string file;              ///< empty: it is in a clause
  size_t clause = 0;             ///< its number
  std::optional<uint32_t> line;  ///< none: the text as a whole
  uint32_t column = 0, end = 0;  ///< the first byte, and the one behind the last, on this line
};

/// The clauses of -n and the like that were compiled before this text.
size_t clauses_before(const SourceText& source, std::span<const SourceText> texts) {
  size_t count = 0;
  for (const SourceText& text : texts) {
    if (text.kind == source.kind && text.text == source.text) break;
    if (text.kind != SourceText::Kind::Script) count += clauses_up_to(text.text, text.text.size());
  }
  return count;
}

Spot spot_of(const Reported& reported, std::span<const SourceText> texts, size_t base) {
  const SourceText& source = reported.source;
  const auto size = static_cast<uint32_t>(source.text.size());
  const uint32_t begin = std::min(reported.diagnostic.where.begin, size);
  const uint32_t end = std::clamp(reported.diagnostic.where.end, begin, size);
  const Place place = place_of(source.text, begin);
  Spot spot;
  const bool own = place.file.empty() || place.file == "/dev/stdin";  // cpp reads the script itself as that
  spot.file = own ? source.library : place.file;
  if (spot.file.empty() && source.kind == SourceText::Kind::Script) spot.file = source.name;
  if (spot.file.empty()) spot.clause = base + clauses_before(source, texts) + clauses_up_to(source.text, begin) + 1;
  if (reported.diagnostic.where.begin == kEndOfText.begin) return spot;
  spot.line = place.line;
  spot.column = begin - place.line_begin + 1;
  spot.end = std::max(std::min(end, place.line_end), begin + 1) - place.line_begin + 1;
  return spot;
}

std::string name_of(const Spot& spot) {
  std::string text = spot.file.empty() ? "clause " + std::to_string(spot.clause) : spot.file;
  if (spot.line) text += ":" + std::to_string(*spot.line) + ":" + std::to_string(spot.column);
  return text;
}

std::string at_place(const Reported& reported, const Spot& spot, const Look& look) {
  const Style diagnostic_style = reported.diagnostic.is_warning ? Style::Warning : Style::Error;
  std::string text = look.paint(Style::Place, name_of(spot) + ":") + " " +
                     look.paint(diagnostic_style, std::string(severity_of(reported.diagnostic)) + ":") + " " +
                     reported.diagnostic.message + "\n";
  if (spot.line) {
    const std::string lines =
        excerpt(reported.source.text, std::min<uint32_t>(reported.diagnostic.where.begin, reported.source.text.size()),
                reported.diagnostic.where.end);
    const size_t second = lines.find('\n') + 1;
    const size_t caret = std::min(lines.find('^', second), lines.size() - 1);
    text += lines.substr(0, caret) + look.paint(Style::Caret, lines.substr(caret, lines.size() - 1 - caret)) + "\n";
  }
  if (!reported.diagnostic.hint.empty()) text += "    " + look.paint(Style::Hint, reported.diagnostic.hint) + "\n";
  return text;
}

std::string as_json(const Reported& reported, const Spot& spot) {
  std::string text;
  JsonLine line(text, kLongestJson);
  if (spot.file.empty())
    line.key("clause").number(uint64_t{spot.clause});
  else
    line.key("file").string(spot.file);
  if (spot.line) {
    line.key("line").number(uint64_t{*spot.line});
    line.key("column").number(uint64_t{spot.column});
    line.key("end").number(uint64_t{spot.end});
  }
  line.key("severity").string(severity_of(reported.diagnostic));
  if (!reported.diagnostic.tag.empty()) line.key("tag").string(reported.diagnostic.tag);
  line.key("message").string(reported.diagnostic.message);
  if (!reported.diagnostic.hint.empty()) line.key("hint").string(reported.diagnostic.hint);
  line.finish();
  return text;
}

}  // namespace

DiagnosticForm diagnostic_form(const Options& options, const Look& look) {
  const std::string& form = options.text("diagnostics");
  if (form == "json") return DiagnosticForm::Json;
  if (form == "place") return DiagnosticForm::Place;
  return form == "auto" && look.is_rich() ? DiagnosticForm::Place : DiagnosticForm::DTrace;
}

std::string show_diagnostics(std::span<const Reported> reported, std::span<const SourceText> texts, size_t base,
                             DiagnosticForm form, const Look& look) {
  std::string text;
  for (const Reported& one : reported) {
    const Spot spot = spot_of(one, texts, base);
    text += form == DiagnosticForm::Json ? as_json(one, spot) : at_place(one, spot, look);
  }
  return text;
}

void show_warnings(FileOutput& output, std::span<const Reported> warnings, std::span<const SourceText> texts,
                   size_t base, DiagnosticForm form, const Look& look) {
  if (form != DiagnosticForm::DTrace) {
    if (!warnings.empty()) output.report(show_diagnostics(warnings, texts, base, form, look));
    return;
  }
  for (const Reported& one : warnings)
    output.message(trimmed(show_diagnostics({&one, 1}, texts, base, DiagnosticForm::Place, look)));
}

std::string message_as_json(std::string_view message, std::string_view severity) {
  size_t end = message.find("\n ");
  end = std::min({end, message.find("\n\t"), message.size()});
  std::string text;
  JsonLine line(text, kLongestJson);
  line.key("severity").string(severity);
  line.key("message").string(trimmed(message.substr(0, end)));
  if (const std::string hint = trimmed(message.substr(end)); !hint.empty()) line.key("hint").string(hint);
  line.finish();
  return text;
}

}  // namespace sonde
