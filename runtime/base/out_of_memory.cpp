// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/base/out_of_memory.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string_view>

namespace sonde {
namespace {

constexpr size_t kLargeRequest = size_t{1} << 20;  ///< bytes; LLVM and our own code ask for less at once

void handle_failed_new() {
  void* memory = std::malloc(kLargeRequest);
  if (memory == nullptr) end_without_memory();
  std::free(memory);
  throw std::bad_alloc();
}

/// Static initializers need memory, too: LLVM's, ANTLR's.
__attribute__((constructor(101))) void install_handler() { std::set_new_handler(handle_failed_new); }

}  // namespace

void end_without_memory() {
  static std::atomic_flag said;
  while (said.test_and_set()) pause();  // another thread ends the process
  constexpr std::string_view kMessage = "sonde: out of memory\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kMessage.data(), kMessage.size());
  _exit(1);
}

}  // namespace sonde
