// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/lang/identifiers.h"

namespace sonde {
namespace {

constexpr std::array kStabilities = std::to_array<std::string_view>(
    {"Internal", "Private", "Obsolete", "External", "Unstable", "Evolving", "Stable", "Standard"});
constexpr std::array kClasses =
    std::to_array<std::string_view>({"Unknown", "CPU", "Platform", "Group", "ISA", "Common"});

template <typename Words, typename Number>
bool read_word(const Words& words, std::string_view text, Number& out) {
  auto at = std::ranges::find(words, text);
  out = static_cast<Number>(at - words.begin());
  return at != words.end();
}

}  // namespace

bool read_attributes(std::string_view text, dtrace_attribute_t& out) {
  size_t first = text.find('/');
  size_t second = first == std::string_view::npos ? first : text.find('/', first + 1);
  if (second == std::string_view::npos) return false;
  return read_word(kStabilities, text.substr(0, first), out.dtat_name) &&
         read_word(kStabilities, text.substr(first + 1, second - first - 1), out.dtat_data) &&
         read_word(kClasses, text.substr(second + 1), out.dtat_class);
}

std::string_view stability_name(dtrace_stability_t stability) { return kStabilities[stability]; }
std::string_view class_name(dtrace_class_t which) { return kClasses[which]; }

std::string attributes_text(const dtrace_attribute_t& attributes) {
  return std::string(stability_name(attributes.dtat_name)) + "/" + std::string(stability_name(attributes.dtat_data)) +
         "/" + std::string(class_name(attributes.dtat_class));
}

}  // namespace sonde
