// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/dwarf_frames.h"

#include <dwarf.h>

#include <cstdlib>
#include <memory>

namespace sonde {
namespace {

struct Free {
  void operator()(Dwarf_Frame* frame) const { free(frame); }
};

/// The offset of a rule `register + offset`, as libdw represents it; nothing: it is another rule, or register.
std::optional<int64_t> offset_from(const Dwarf_Op& rule, unsigned number) {
  if (rule.atom == DW_OP_bregx && rule.number == number) return static_cast<int64_t>(rule.number2);
  if (rule.atom == DW_OP_breg0 + number) return static_cast<int64_t>(rule.number);
  return std::nullopt;
}

}  // namespace

DwarfFrames::DwarfFrames(Dwfl_Module* file) {
  Dwarf_Addr bias = 0;
  if (file == nullptr) return;
  cfi_ = dwfl_module_eh_cfi(file, &bias);
  debug_cfi_ = dwfl_module_dwarf_cfi(file, &bias);
}

std::optional<int64_t> DwarfFrames::to_caller(Dwarf_Addr address, unsigned number) {
  for (Dwarf_CFI* cfi : {cfi_, debug_cfi_}) {
    Dwarf_Frame* found = nullptr;
    if (cfi == nullptr || dwarf_cfi_addrframe(cfi, address, &found) != 0) continue;
    const std::unique_ptr<Dwarf_Frame, Free> frame(found);
    Dwarf_Op* operations = nullptr;
    size_t count = 0;
    if (dwarf_frame_cfa(found, &operations, &count) != 0 || count != 1) return std::nullopt;
    return offset_from(operations[0], number);
  }
  return std::nullopt;
}

}  // namespace sonde
