// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/session/labels.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>

namespace sonde {
namespace {

/// Names that have a meaning of their own where lines become metrics.
constexpr std::array<std::string_view, 5> kReserved = {"host", "instance", "job", "le", "run"};

bool is_name(std::string_view text) {
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 && std::ranges::all_of(text, is_word);
}

}  // namespace

Result<std::vector<std::string>> parse_labels(std::string_view text) {
  std::vector<std::string> labels;
  while (!text.empty()) {
    const std::string label(text.substr(0, text.find(',')));
    text.remove_prefix(std::min(text.size(), label.size() + 1));
    const size_t equals = label.find('=');
    const std::string name = label.substr(0, equals);
    if (equals == std::string::npos || !is_name(name))
      return Error("labels: \"" + label + "\" is not NAME=VALUE", EINVAL);
    if (name.starts_with("__") || std::ranges::find(kReserved, name) != kReserved.end())
      return Error("labels: the name " + name + " is reserved", EINVAL);
    if (std::ranges::any_of(labels, [&](const std::string& one) { return one.starts_with(name + "="); }))
      return Error("labels: the name " + name + " is given twice", EINVAL);
    labels.push_back(label);
  }
  return labels;
}

}  // namespace sonde
