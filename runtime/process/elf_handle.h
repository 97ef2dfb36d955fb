// SPDX-License-Identifier: GPL-3.0-or-later
// libelf's descriptor, owned
#pragma once

#include <libelf.h>

#include <memory>

namespace sonde {

struct ElfEnd {
  void operator()(Elf* elf) const { elf_end(elf); }
};
using ElfHandle = std::unique_ptr<Elf, ElfEnd>;

}  // namespace sonde
