// SPDX-License-Identifier: GPL-3.0-or-later
// Static initializers of libraries that most runs do not use. The link of the command puts them apart
// (cmake/late_initializers.ld); whoever uses such a library calls its function here first. A program that is linked in the
// usual way has run them before main(), and has none of these symbols.
#pragma once

extern "C" {
using SondeInitializer = void (*)();
[[gnu::weak]] extern const SondeInitializer sonde_llvm_initializers[], sonde_llvm_initializers_end[];
[[gnu::weak]] extern const SondeInitializer sonde_antlr_initializers[], sonde_antlr_initializers_end[];
[[gnu::weak]] extern const SondeInitializer sonde_grammar_initializers[], sonde_grammar_initializers_end[];
}

namespace sonde {

inline void run_initializers(const SondeInitializer* begin, const SondeInitializer* end) {
  for (; begin != end; ++begin) (*begin)();
}

/// Call it before the first use of LLVM; its demangler alone needs no initializer. A second caller waits for the first.
inline void initialize_llvm() {
  [[maybe_unused]] static const bool once =
      (run_initializers(sonde_llvm_initializers, sonde_llvm_initializers_end), true);
}

/// Call it before the first use of ANTLR. `between` runs before those of the grammar, which read its tables.
inline void initialize_antlr(void (*between)()) {
  [[maybe_unused]] static const bool once =
      (run_initializers(sonde_antlr_initializers, sonde_antlr_initializers_end), between(),
       run_initializers(sonde_grammar_initializers, sonde_grammar_initializers_end), true);
}

}  // namespace sonde
