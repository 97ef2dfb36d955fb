// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/usdt_arguments.h"

#include <algorithm>
#include <charconv>

namespace sonde {
namespace {

constexpr uint32_t kWordBytes = 8;
constexpr std::string_view kBlanks = " \t\n";

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const size_t begin = text.find_first_not_of(kBlanks);
    if (begin == text.npos) return words;
    text.remove_prefix(begin);
    const size_t end = std::min(text.find_first_of(kBlanks), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

/// Reads "-4f" and what is behind '@'. False: it is no argument.
bool take_size(std::string_view word, UsdtArgument& argument, std::string_view& operand) {
  const size_t at = word.find('@');
  if (at == word.npos || at + 1 == word.size()) return false;
  std::string_view size = word.substr(0, at);
  operand = word.substr(at + 1);
  if (size.starts_with('-')) {
    argument.is_signed = true;
    size.remove_prefix(1);
  }
  if (size.ends_with('f')) {
    argument.is_float = true;
    size.remove_suffix(1);
  }
  const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), argument.size);
  return error == std::errc() && end == size.data() + size.size() && argument.size > 0;
}

/// Makes a word of N bytes: zeros, or the sign, follow them.
void extend(UsdtArgument& argument) {
  const sonde_location low = argument.parts.front();
  if (low.size >= kWordBytes) return;
  sonde_location high = low;
  high.at = low.size;
  high.size = kWordBytes - low.size;
  if (argument.is_signed) {
    high.flags |= SONDE_LOCATION_SIGN;
    high.value += low.size - 1;
  } else {
    high = {.kind = SONDE_LOCATION_CONSTANT,
            .argument = low.argument,
            .base = SONDE_NO_REGISTER,
            .index = SONDE_NO_REGISTER,
            .at = high.at,
            .size = high.size};
  }
  argument.parts.push_back(high);
}

int64_t cut(int64_t value, const UsdtArgument& argument) {
  if (argument.size >= kWordBytes) return value;
  const auto above = 8 * (kWordBytes - argument.size);
  const uint64_t high = static_cast<uint64_t>(value) << above;
  return argument.is_signed ? static_cast<int64_t>(high) >> above : static_cast<int64_t>(high >> above);
}

void place(UsdtArgument& argument, uint8_t number, std::string_view operand, const UsdtPlace& place) {
  OperandPlace found = place_of_operand(operand, argument.size, place);
  argument.unknown = std::move(found.unknown);
  if (!argument.unknown.empty()) return;
  sonde_location& part = found.part;
  part.argument = number;
  part.size = argument.size;
  if (part.kind == SONDE_LOCATION_CONSTANT) {
    part.value = cut(part.value, argument);
    part.size = kWordBytes;
  } else if (argument.size > kWordBytes) {
    if (part.kind == SONDE_LOCATION_MEMORY) part.kind = SONDE_LOCATION_ADDRESS;
    part.size = kWordBytes;
    if (part.kind != SONDE_LOCATION_ADDRESS)
      argument.unknown =
          "it has " + std::to_string(argument.size) + " bytes, and the note names only the first 8 of them";
  } else if (part.kind == SONDE_LOCATION_ADDRESS) {
    part.size = kWordBytes;
  }
  if (!argument.unknown.empty()) return;
  argument.parts = {part};
  extend(argument);
}

}  // namespace

std::vector<UsdtArgument> parse_usdt_arguments(std::string_view text, const UsdtPlace& site) {
  std::vector<UsdtArgument> all;
  bool shifted = false;
  for (std::string_view word : words_of(text)) {
    if (all.size() == SONDE_ARGUMENTS_MAX) break;
    UsdtArgument& argument = all.emplace_back();
    argument.text = word;
    std::string_view operand;
    if (!take_size(word, argument, operand)) {
      shifted = shifted || word.find('@') == word.npos;
      argument.unknown = "it says no size";
      continue;
    }
    place(argument, static_cast<uint8_t>(all.size() - 1), operand, site);
  }
  if (!shifted) return all;
  // One has blanks in it, as Intel's syntax has: it is not known which argument is which.
  UsdtArgument whole;
  whole.text = text;
  whole.unknown = "the note's \"" + std::string(text) + "\" has operands of another syntax than AT&T's";
  return {whole};
}

}  // namespace sonde
