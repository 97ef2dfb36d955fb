// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/debug_file.h"

#include <unistd.h>

#include <cerrno>

namespace sonde {
namespace {

const Dwfl_Callbacks kCallbacks = {dwfl_build_id_find_elf, dwfl_standard_find_debuginfo, dwfl_offline_section_address,
                                   nullptr};

}  // namespace

Result<DebugFile> open_debug_file(const std::string& path) {
  if (access(path.c_str(), R_OK) != 0) return Error::from_errno("open " + path);
  DebugFile file{std::unique_ptr<Dwfl, DwflEnd>(dwfl_begin(&kCallbacks))};
  if (file.dwfl == nullptr) return Error(path + ": " + dwfl_errmsg(-1), ENOMEM);
  dwfl_report_begin(file.dwfl.get());
  file.module = dwfl_report_offline(file.dwfl.get(), path.c_str(), path.c_str(), -1);
  dwfl_report_end(file.dwfl.get(), nullptr, nullptr);
  Dwarf_Addr bias = 0;
  file.dwarf = file.module != nullptr ? dwfl_module_getdwarf(file.module, &bias) : nullptr;
  if (file.dwarf == nullptr) return Error(path + " has no debug information", ENODATA);
  return file;
}

}  // namespace sonde
