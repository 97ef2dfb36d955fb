// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/kernel_symbols.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace sonde {
namespace {

/// A file like /proc/kallsyms, which exists during a test.
class Names {
 public:
  explicit Names(const std::string& text) {
    close(mkstemp(path_));
    std::ofstream(path_) << text;
  }
  ~Names() { unlink(path_); }
  KernelSymbols symbols() const { return KernelSymbols(path_); }

 private:
  char path_[32] = "/tmp/sonde-kallsyms-XXXXXX";
};

std::string text(KernelSymbols& symbols, uint64_t address) {
  const ResolvedSymbol found = symbols.resolve(address);
  return found.module + "`" + found.function + "+" + std::to_string(found.offset);
}

TEST(KernelSymbols, FunctionsAndModules) {
  const Names names(
      "0000000000000000 A fixed_percpu_data\n"
      "ffffffff81000000 T _stext\n"
      "ffffffff81000100 t __do_sys_getppid\n"
      "ffffffff81000100 T __ia32_sys_getppid\n"
      "ffffffff81000100 T __x64_sys_getppid\n"
      "ffffffff81000200 D jiffies\n"
      "ffffffffc0200000 t hook\t[sonde]\n"
      "ffffffffc0100000 t bread\t[ext4]\n");
  KernelSymbols symbols = names.symbols();
  EXPECT_EQ(text(symbols, 0xffffffff81000000), "vmlinux`_stext+0");
  EXPECT_EQ(text(symbols, 0xffffffff81000105), "vmlinux`__x64_sys_getppid+5");  // one of three names
  EXPECT_EQ(text(symbols, 0xffffffffc0100010), "ext4`bread+16");
  EXPECT_EQ(text(symbols, 0xffffffffc0200001), "sonde`hook+1");
}

TEST(KernelSymbols, WhatNoSymbolHolds) {
  const Names names("ffffffff81000000 T _stext\n");
  KernelSymbols symbols = names.symbols();
  for (uint64_t address : {0xffffffff80ffffffull, 0xffffffff91000000ull, 0x1000ull})
    EXPECT_EQ(text(symbols, address), "`+0") << std::hex << address;
}

TEST(KernelSymbols, HiddenAddressesAreNoNames) {
  const Names names("0000000000000000 T _stext\n0000000000000000 T _text\n");
  KernelSymbols symbols = names.symbols();
  EXPECT_EQ(text(symbols, 0xffffffff81000000), "`+0");
}

}  // namespace
}  // namespace sonde
