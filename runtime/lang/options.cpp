// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/lang/options.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <optional>

#include "runtime/base/check.h"
#include "runtime/base/find.h"
#include "runtime/base/suggest.h"
#include "runtime/base/time_units.h"
#include "runtime/lang/identifiers.h"
#include "runtime/lang/option_hint.h"
#include "runtime/lang/option_values.h"
#include "runtime/print/printers.h"

namespace sonde {
namespace {

const OptionRow* find_option(std::string_view name) { return find_sorted(kOptions, name, &OptionRow::name); }

/// Removes a number from the start of `text` and returns it. Decimal, 0x hexadecimal or 0 octal.
std::optional<uint64_t> take_number(std::string_view& text) {
  int base = 10;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text[0] == '0') {
    base = 8;
  }
  uint64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

std::optional<uint64_t> times(uint64_t number, uint64_t factor) {
  uint64_t product = 0;
  if (__builtin_mul_overflow(number, factor, &product)) return std::nullopt;
  return product;
}

std::optional<uint64_t> parse_flag(std::string_view text) {
  if (text.empty()) return 1;
  for (std::string_view word : {"yes", "true", "on", "enable", "enabled", "set", "1"})
    if (same_in_any_case(text, word)) return 1;
  for (std::string_view word : {"no", "false", "off", "disable", "disabled", "unset", "0"})
    if (same_in_any_case(text, word)) return 0;
  return std::nullopt;
}

std::optional<uint64_t> parse_room(std::string_view text) {
  auto number = take_number(text);
  if (!number) return std::nullopt;
  if (text.empty()) return number;
  if (text.size() != 1) return std::nullopt;
  switch (text[0]) {
    case 'k':
    case 'K': return times(*number, 1ull << 10);
    case 'm':
    case 'M': return times(*number, 1ull << 20);
    case 'g':
    case 'G': return times(*number, 1ull << 30);
    case 't':
    case 'T': return times(*number, 1ull << 40);
    default: return std::nullopt;
  }
}

std::optional<uint64_t> parse_size(std::string_view text) {
  auto size = parse_room(text);
  return size && *size != 0 ? size : std::nullopt;
}

std::optional<uint64_t> parse_count(std::string_view text) {
  auto number = take_number(text);
  return number && text.empty() ? number : std::nullopt;
}

std::optional<uint64_t> in_units_of_time(uint64_t number, std::string_view unit) {
  const uint64_t ns = unit_of_time(unit);
  return ns != 0 ? times(number, ns) : std::nullopt;
}

/// The period in ns. A number without a unit counts per second.
std::optional<uint64_t> parse_rate(std::string_view text) {
  auto number = take_number(text);
  if (!number || *number == 0) return std::nullopt;
  if (text.empty() || same_in_any_case(text, "hz")) return std::max<uint64_t>(1, kSecond / *number);
  return in_units_of_time(*number, text);
}

/// Nanoseconds. A number without a unit is seconds.
std::optional<uint64_t> parse_duration(std::string_view text) {
  auto number = take_number(text);
  if (!number) return std::nullopt;
  return in_units_of_time(*number, text.empty() ? "s" : text);
}

struct TextChoices {
  std::string_view option;
  std::array<std::string_view, 4> values;
};
constexpr TextChoices kTextChoices[] = {
    {"argstr", {"full", "plain", "classic"}},
    {"bufpolicy", {"switch", "fill", "ring"}},
    {"bufresize", {"auto", "manual"}},
    {"diagnostics", {"auto", "dtrace", "place", "json"}},
    {"evaltime", {"exec", "preinit", "postinit", "main"}},
    {"late", {"dynamic", "static"}},
    {"linkmode", {"kernel", "primary", "dynamic", "static"}},
    {"linktype", {"elf", "dof"}},
    {"stdc", {"a", "c", "s", "t"}},
    {"temporality", {"delta", "cumulative"}},
    {"units", {"auto", "always", "raw"}},
};
static_assert(std::ranges::is_sorted(kTextChoices, {}, &TextChoices::option));

/// The possible values of a text option; empty: any.
std::vector<std::string_view> choices_of(std::string_view option) {
  std::vector<std::string_view> choices;
  if (const auto* known = find_sorted(kTextChoices, option, &TextChoices::option))
    std::ranges::copy_if(known->values, std::back_inserter(choices), [](auto value) { return !value.empty(); });
  if (option == "source") {
    choices = {kAutoSource};
    for (const SourceRow& row : kSourceRows) choices.push_back(row.name);
  } else if (option == "format") {
    for (const PrinterRow& row : kPrinterRows) choices.push_back(row.name);
  }
  return choices;
}

/// Such as "one of switch, fill, ring".
std::string choices_text(std::string_view option) {
  std::string text;
  for (std::string_view choice : choices_of(option)) text += (text.empty() ? "one of " : ", ") + std::string(choice);
  return text;
}

std::optional<uint64_t> parse_text(std::string_view option, std::string_view text) {
  const std::vector<std::string_view> choices = choices_of(option);
  const bool good = choices.empty() ? !text.empty() : std::ranges::find(choices, text) != choices.end();
  return good ? std::optional<uint64_t>(0) : std::nullopt;
}

std::optional<uint64_t> parse(const OptionRow& row, std::string_view text) {
  if (row.kind == OptionKind::Text) return parse_text(row.name, text);
  if (row.kind == OptionKind::List) return text.empty() ? std::nullopt : std::optional<uint64_t>(0);
  const auto number = parse_number(row.kind, text);
  if (!number) return std::nullopt;
  if (row.name == "strsize" && (*number < 2 || *number > 65536)) return std::nullopt;
  if (row.name == "argstrsize" && (*number < 1 || *number > 4096)) return std::nullopt;
  const bool may_be_zero = row.name == "duration";  // a run may end as soon as it has begun
  return row.kind == OptionKind::Duration && *number == 0 && !may_be_zero ? std::nullopt : number;
}

Result<void> check_version(std::string_view text) {
  std::optional<Version> version = read_version(text);
  if (!version) return Error("Version is not properly formatted or is too large", EINVAL);
  if (*version < kOldestVersion || *version > kNewestVersion)
    return Error("Requested version is not supported by compiler", EINVAL);
  return {};
}

}  // namespace

std::optional<uint64_t> parse_number(OptionKind kind, std::string_view text) {
  switch (kind) {
    case OptionKind::Flag: return parse_flag(text);
    case OptionKind::Size: return parse_size(text);
    case OptionKind::Room: return parse_room(text);
    case OptionKind::Count: return parse_count(text);
    case OptionKind::Duration: return parse_duration(text);
    case OptionKind::Rate: return parse_rate(text);
    case OptionKind::Text:
    case OptionKind::List: break;
  }
  SONDE_CHECK(false);
}

Options::Options() {
  for (const OptionRow& row : kOptions) {
    Value value;
    value.text = row.initial;
    if (!row.initial.empty() && row.kind != OptionKind::Text) {
      auto number = parse(row, row.initial);
      SONDE_CHECK(number.has_value());
      value.number = *number;
    }
    values_.emplace(std::string(row.name), std::move(value));
  }
}

Result<void> Options::set(std::string_view name, std::string_view value, bool from_program, bool tracing) {
  const OptionRow* row = find_option(name);
  if (row == nullptr) return Error("Invalid option name", EINVAL);
  if (from_program && row->phase == OptionPhase::CommandLine)
    return Error("Option cannot be used from within a D program", EINVAL);
  if (tracing && row->phase != OptionPhase::Always) return Error("Operation illegal when tracing is active", EBUSY);
  if (name == "version")
    if (auto fine = check_version(value); !fine) return fine;
  dtrace_attribute_t attributes{};
  if (name == "amin" && !read_attributes(value, attributes)) return Error("Invalid value for specified option", EINVAL);
  auto number = parse(*row, value);
  if (!number) return Error("Invalid value for specified option", EINVAL);
  Value& to = values_.find(name)->second;
  to.text = value;
  if (row->kind == OptionKind::List) to.list.emplace_back(value);
  to.number = *number;
  to.set = true;
  return {};
}

std::string hint_on_option(std::string_view name, std::string_view value) {
  const OptionRow* row = find_option(name);
  if (row == nullptr) {
    Suggestion suggestion(name);
    for (const OptionRow& known : kOptions) suggestion.offer(known.name);
    if (name == "x" || name.starts_with('-'))
      return "-x takes NAME[=VALUE]; bytes in hexadecimal: tracemem(copyin(address, bytes), bytes)";
    return suggestion.best().empty() ? "-x help lists the options" : suggestion.hint();
  }
  if (parse(*row, value)) return {};
  if (name == "strsize") return "2 to 65536 bytes";
  if (name == "argstrsize") return "a number from 1 to 4096";
  switch (row->kind) {
    case OptionKind::Flag: return "yes or no; alone: yes";
    case OptionKind::Size: return "bytes, as in 4096, 64k or 4m; 1 at least";
    case OptionKind::Room: return "bytes, as in 4096, 64k or 4m";
    case OptionKind::Count: return "a number";
    case OptionKind::Duration: return "a time, as in 10s or 500ms";
    case OptionKind::Rate: return "a period or a rate, as in 10ms or 100hz";
    case OptionKind::Text: return choices_text(name);
    case OptionKind::List: return "a text";
  }
  SONDE_CHECK(false);
}

bool Options::flag(std::string_view name) const { return number(name) != 0; }

const Options::Value& Options::value(std::string_view name) const {
  const Value* value = find_in(values_, name);
  SONDE_CHECK(value != nullptr);
  return *value;
}

uint64_t Options::number(std::string_view name) const { return value(name).number; }
const std::string& Options::text(std::string_view name) const { return value(name).text; }
const std::vector<std::string>& Options::list(std::string_view name) const { return value(name).list; }
bool Options::was_set(std::string_view name) const { return value(name).set; }

std::vector<std::string> Options::without_effect() const {
  std::vector<std::string> lines;
  for (const OptionRow& row : kOptions)
    if (row.has_no_effect && was_set(row.name))
      lines.push_back("option " + std::string(row.name) + " has no effect: " + std::string(row.doc));
  return lines;
}

Result<void> Options::set_from_environment(char* const* environment) {
  constexpr std::string_view kPrefix = "DTRACE_OPT_";
  for (; *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    const size_t equals = entry.find('=');
    if (!entry.starts_with(kPrefix) || equals == std::string_view::npos) continue;
    std::string name(entry.substr(kPrefix.size(), equals - kPrefix.size()));
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    if (auto done = set(name, entry.substr(equals + 1), false, false); !done)
      return std::move(done).error().context("failed to set " + std::string(entry.substr(0, equals)));
  }
  return {};
}

}  // namespace sonde
