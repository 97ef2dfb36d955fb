// SPDX-License-Identifier: GPL-3.0-or-later
// args[] of functions, from the debug information of their object
//
// The raw argument of a parameter depends on those before it: what is passed in vector registers or in memory uses none
// of the registers that arg0 ... arg5 come from. A parameter without a raw argument is described with a mapping below
// 0.
#pragma once

#include <string>
#include <vector>

namespace sonde::pid {

struct Parameter {
  std::string type, name;
  int mapping;  ///< argN; -1: it is not known where it is passed
};

struct Signature {
  bool known = false;
  std::vector<Parameter> parameters;
  std::string result;  ///< "void" when it has none
};

/// The signature of `function` in the object `path`; debug information is opened once per object. Not known: there is
/// none.
Signature signature_of(const std::string& path, const std::string& function);

}  // namespace sonde::pid
