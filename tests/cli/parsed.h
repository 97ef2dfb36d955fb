// SPDX-License-Identifier: GPL-3.0-or-later
// A command line as parse_arguments() understands it
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.h"

namespace sonde {

struct Parsed {
  bool right = false;
  Arguments arguments;
  BadArguments bad;
};

inline Parsed parse(std::vector<std::string> words) {
  words.insert(words.begin(), "sonde");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  Parsed parsed;
  parsed.right = parse_arguments(static_cast<int>(words.size()), argv.data(), parsed.arguments, parsed.bad);
  return parsed;
}

}  // namespace sonde
