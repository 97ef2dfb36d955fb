// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/tools/script_header.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>

#include "runtime/base/unique_fd.h"
#include "runtime/lang/option_values.h"

namespace sonde {
namespace {

constexpr size_t kMostHeader = 8192;  ///< bytes of a file in which it must end

/// Macro variables that D itself has.
constexpr std::string_view kTaken[] = {"pid", "ppid", "uid",  "euid",   "gid",    "egid",
                                       "sid", "pgid", "help", "projid", "taskid", "target"};

/// The values that are numbers.
struct NumberKind {
  std::string_view name;
  OptionKind kind;
  const char* what;
};
constexpr NumberKind kNumberKinds[] = {{"TIME", OptionKind::Duration, "a time, as in 10ms or 2s"},
                                       {"SIZE", OptionKind::Room, "bytes, as in 4096, 64k or 4m"},
                                       {"COUNT", OptionKind::Count, "a number"}};

/// The text of the first comment; empty: something else is before it.
std::string_view first_comment(std::string_view text) {
  if (text.starts_with("#!")) text.remove_prefix(std::min(text.find('\n'), text.size()));
  for (;;) {
    const size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == text.npos || !text.substr(begin).starts_with("/*")) return {};
    text.remove_prefix(begin + 2);
    const size_t end = text.find("*/");
    if (end == text.npos) return {};
    const std::string_view comment = text.substr(0, end);
    if (comment.find("SPDX-License-Identifier") == comment.npos) return comment;
    text.remove_prefix(end + 2);
  }
}

/// Its lines without " * " and blanks at the end.
std::vector<std::string> comment_lines(std::string_view comment) {
  std::vector<std::string> lines;
  while (!comment.empty()) {
    std::string_view line = comment.substr(0, comment.find('\n'));
    comment.remove_prefix(std::min(line.size() + 1, comment.size()));
    if (const size_t end = line.find_last_not_of(" \t\r"); end == line.npos)
      line = {};
    else
      line = line.substr(0, end + 1);
    const size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
    if (line.substr(begin).starts_with("*")) line.remove_prefix(begin + 1);
    if (line.starts_with(' ')) line.remove_prefix(1);
    lines.emplace_back(line);
  }
  return lines;
}

bool is_indented(std::string_view line) { return line.starts_with(' ') || line.starts_with('\t'); }

std::string_view without_blanks(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  return begin == text.npos ? std::string_view() : text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

/// What is before the first colon, and what is behind it.
struct Row {
  std::string_view kind, subject;
  std::string sentence;
};

std::optional<Row> read_row(std::string_view line) {
  for (const std::string_view kind : {"word", "option", "needs", "example"}) {
    if (!line.starts_with(kind)) continue;
    const size_t colon = line.find(':');
    if (colon == line.npos) continue;
    const std::string_view subject = line.substr(kind.size(), colon - kind.size());
    const bool has_subject = kind == "word" || kind == "option";
    if (has_subject ? !subject.starts_with(' ') : !subject.empty()) continue;
    return Row{kind, without_blanks(subject), std::string(without_blanks(line.substr(colon + 1)))};
  }
  return std::nullopt;
}

Result<ScriptOption> read_option(const Row& row) {
  ScriptOption option;
  const size_t equals = row.subject.find('=');
  option.name = without_blanks(row.subject.substr(0, equals));
  option.sentence = row.sentence;
  const auto is_plain = [](unsigned char c) { return std::islower(c) != 0 || std::isdigit(c) != 0; };
  if (option.name.empty() || !std::ranges::all_of(option.name, is_plain) ||
      std::isdigit(static_cast<unsigned char>(option.name[0])) != 0)
    return Error("option " + std::string(row.subject) +
                 ": a name is lower-case letters and digits, as in: option min=TIME 10ms: WHAT IT DOES");
  if (std::ranges::find(kTaken, option.name) != std::end(kTaken))
    return Error("option " + option.name + ": D has a macro variable $" + option.name + " of its own");
  if (equals == row.subject.npos) return option;
  const std::string_view rest = row.subject.substr(equals + 1);
  option.value = rest.substr(0, rest.find(' '));
  if (option.value.empty())
    return Error("option " + option.name + ": behind = stands what it takes: TIME, SIZE, COUNT, or a word for a text");
  option.initial = without_blanks(rest.substr(option.value.size()));
  if (!option.initial.empty())
    if (auto value = macro_value(option, option.initial); !value) return std::move(value).error();
  return option;
}

class Reader {
 public:
  explicit Reader(ScriptHeader& header) : header_(header) {}

  Result<void> read(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      if (auto row = read_row(line)) {
        if (auto done = finish(); !done) return done;
        row_ = *row;
        continue;
      }
      if (row_ && !line.empty() && is_indented(line)) {
        std::string& to = row_->kind == "example" ? explained_ : row_->sentence;
        to.append(to.empty() ? "" : " ").append(without_blanks(line));
        continue;
      }
      if (auto done = finish(); !done) return done;
      paragraph(line);
    }
    return finish();
  }

 private:
  void paragraph(const std::string& line) {
    std::vector<std::string>& all = header_.paragraphs;
    if (line.empty()) {
      ends_ = true;
      return;
    }
    const bool goes_on = !all.empty() && !ends_ && !is_indented(line) && !is_indented(all.back());
    ends_ = false;
    if (goes_on)
      all.back() += " " + line;
    else
      all.push_back(line);
  }

  Result<void> finish() {
    if (!row_) return {};
    const Row row = *std::exchange(row_, std::nullopt);
    if (row.sentence.empty())
      return Error(std::string(row.kind) + " " + std::string(row.subject) + ": nothing stands behind the colon");
    if (row.kind == "needs") header_.needs = row.sentence;
    if (row.kind == "example") header_.examples.push_back({row.sentence, std::exchange(explained_, {})});
    if (row.kind == "word") header_.words.push_back({std::string(row.subject), row.sentence});
    if (row.kind != "option") return {};
    auto option = read_option(row);
    if (!option) return std::move(option).error();
    if (header_.find(option->name) != nullptr) return Error("option " + option->name + " is there twice");
    header_.options.push_back(std::move(*option));
    return {};
  }

  ScriptHeader& header_;
  std::optional<Row> row_;
  std::string explained_;  ///< of an example
  bool ends_ = true;       ///< the paragraph
};

}  // namespace

const ScriptOption* ScriptHeader::find(std::string_view option) const {
  const auto found = std::ranges::find(options, option, &ScriptOption::name);
  return found == options.end() ? nullptr : &*found;
}

Result<ScriptHeader> parse_script_header(std::string_view text, std::string_view name) {
  ScriptHeader header;
  std::vector<std::string> lines = comment_lines(first_comment(text));
  while (!lines.empty() && lines.front().empty()) lines.erase(lines.begin());
  const std::string first = std::string(name) + ":";
  if (name.empty() || lines.empty() || !lines.front().starts_with(first)) return header;
  header.name = name;
  header.sentence = without_blanks(std::string_view(lines.front()).substr(first.size()));
  lines.erase(lines.begin());
  for (; !lines.empty() && !lines.front().empty() && !read_row(lines.front()); lines.erase(lines.begin()))
    header.sentence.append(header.sentence.empty() ? "" : " ").append(without_blanks(lines.front()));
  auto done = Reader(header).read(lines);
  if (!done) return std::move(done).error().context("the header of " + std::string(name));
  return header;
}

Result<ScriptHeader> read_script_header(const std::string& path) {
  std::error_code none;
  const std::filesystem::path file = std::filesystem::canonical(path, none);  // a link to it is another name of it
  if (none || !std::filesystem::is_regular_file(file, none)) return ScriptHeader();
  std::string text(kMostHeader, '\0');
  const UniqueFd in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  const ssize_t length = in ? ::read(in.get(), text.data(), text.size()) : 0;
  text.resize(static_cast<size_t>(std::max<ssize_t>(length, 0)));
  return parse_script_header(text, file.stem().string());
}

Result<std::string> macro_value(const ScriptOption& option, std::string_view typed) {
  if (option.value.empty()) return std::string("1");
  const auto* kind = std::ranges::find(kNumberKinds, option.value, &NumberKind::name);
  if (kind == std::end(kNumberKinds)) return std::string(typed);
  const auto number = parse_number(kind->kind, typed);
  if (number) return std::to_string(*number);
  return Error("--" + option.name + "=" + std::string(typed) + ": it takes " + kind->what, EINVAL);
}

std::string initial_macro_value(const ScriptOption& option) {
  if (!option.initial.empty()) return *macro_value(option, option.initial);
  const bool is_text = !option.value.empty() &&
                       std::ranges::find(kNumberKinds, option.value, &NumberKind::name) == std::end(kNumberKinds);
  return is_text ? "" : "0";
}

}  // namespace sonde
