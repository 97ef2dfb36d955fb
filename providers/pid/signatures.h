// SPDX-License-Identifier: GPL-3.0-or-later
// args[] of functions, from the debug information of their object
//
// Which raw argument a parameter is depends on those before it: what is passed in vector registers or in memory takes none of the
// registers that arg0 ... arg5 come from. A parameter that has no raw argument is described, with a mapping below 0.
#pragma once

#include <string>
#include <vector>

namespace sonde::pid {

struct Parameter {
  std::string type, name;
  int mapping;  ///< argN; -1: where it is passed cannot be told
};

struct Signature {
  bool known = false;
  std::vector<Parameter> parameters;
  std::string result;  ///< "void" when it has none
};

/// Of `function` in the object `path`; debug information is opened once an object. Not known: it has none.
Signature signature_of(const std::string& path, const std::string& function);

}  // namespace sonde::pid
