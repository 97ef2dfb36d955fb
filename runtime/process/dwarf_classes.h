// SPDX-License-Identifier: GPL-3.0-or-later
// How C++ passes a class: by value, or by the address of a copy
#pragma once

#include <elfutils/libdw.h>

#include <unordered_map>

#include "runtime/process/c_types.h"

namespace sonde {

class ClassPassing {
 public:
  /// `die`: of a structure, class or union. Unsaid: it is only declared, or the debug information leaves it open.
  CType::Passed of(Dwarf_Die& die, int depth = 0);

 private:
  CType::Passed judge(Dwarf_Die& die, int depth);
  CType::Passed of_part(Dwarf_Die& part, int depth);

  std::unordered_map<void*, CType::Passed> known_;
};

}  // namespace sonde
