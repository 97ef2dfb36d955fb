// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sonde {

/// A text to compile: a script file, or the argument of -n, -i, -P, -m, -f.
struct SourceText {
  enum class Kind : uint8_t { Script, Name, Provider, Module, Function };
  Kind kind = Kind::Script;
  std::string name;     ///< the script's file name; for the others the whole argument
  std::string text;     ///< the text to parse: for -P and the like already completed to four fields
  std::string library;  ///< the file, when it is a D library that is loaded for the program of that name
};

/// Bytes [begin, end) of a SourceText. Line and column are computed on demand.
struct SourceRange {
  uint32_t begin = 0;
  uint32_t end = 0;
};

/// For errors in the text as a whole: reported at its last line, which is not shown.
inline constexpr SourceRange kEndOfText{UINT32_MAX, UINT32_MAX};

/// An error in the script, or what is probably one: what, where, and what was probably meant.
struct Diagnostic {
  std::string tag;      ///< D_IDENT_UNDEF
  std::string message;  ///< DTrace's text; further lines begin with a tab
  SourceRange where;
  std::string hint;         ///< "did you mean 'open'?"; may be empty
  std::string context;      ///< "in action list", "in predicate"; empty at top level. Used for -n texts
  bool is_warning = false;  ///< the script runs
};

/// Collects diagnostics; after a report, passes continue.
class Diagnostics {
 public:
  void report(Diagnostic diagnostic) { list_.push_back(std::move(diagnostic)); }
  void report(std::string_view tag, SourceRange where, std::string message, std::string hint = {}) {
    list_.push_back({std::string(tag), std::move(message), where, std::move(hint), context_});
  }
  /// The script is valid, and probably means something else.
  void warn(SourceRange where, std::string message, std::string hint = {}) {
    warnings_.push_back({"", std::move(message), where, std::move(hint), context_, true});
  }
  const std::vector<Diagnostic>& warnings() const { return warnings_; }
  /// Sets the context of the reports that follow.
  void set_context(std::string context) { context_ = std::move(context); }
  const std::string& context() const { return context_; }
  bool any() const { return !list_.empty(); }
  /// Sorts them by position in the text.
  void sort() {
    std::ranges::stable_sort(list_, {}, [](const Diagnostic& one) { return one.where.begin; });
  }
  const std::vector<Diagnostic>& list() const { return list_; }
  /// Removes all but the first `count`.
  void keep(size_t count) { list_.resize(std::min(count, list_.size())); }

 private:
  std::vector<Diagnostic> list_;  ///< errors
  std::vector<Diagnostic> warnings_;
  std::string context_;
};

/// A diagnostic, with the text that it is about.
struct Reported {
  Diagnostic diagnostic;
  SourceText source;
};

/// The message in DTrace's format, without prefix: for a script
///   failed to compile script FILE: [TAG] line N: MSG
/// for the others
///   invalid probe specifier TEXT: [TAG] in action list: MSG
/// followed by the source line, a caret below the place, and the hint, each on its own line.
/// `tags`: -x errtags. `line_base`/`file` follow #line.
std::string render(const Diagnostic& diagnostic, const SourceText& source, bool tags);

}  // namespace sonde
