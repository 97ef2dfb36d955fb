// SPDX-License-Identifier: GPL-3.0-or-later
// Helpers shared by the files of this folder.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/program/value_type.h"

namespace sonde {

/// Like sprintf, but appends to `out`.
void append_format(std::string& out, const char* format, ...) __attribute__((format(printf, 2, 3)));

/// `text` with C's escapes for what is not printable ASCII.
std::string escaped(std::string_view text);

/// The low `size` bytes of a word, as an unsigned and as a signed number.
uint64_t cut_to_size(uint64_t word, uint32_t size);
int64_t extend_from_size(uint64_t word, uint32_t size);

/// The number that a word of this type means, in decimal. An integer has the size and the sign of its type, wherever it is
/// printed but as a key in columns, where DTrace goes by the size alone. A pointer has no sign.
std::string integer_text(const ValueType& type, uint64_t word);

/// The first `size` bytes of what stands there, 8 at most.
uint64_t word_at(const uint8_t* bytes, uint64_t size);

/// The text of a string or char array; empty for NULL.
std::string_view text_of(const ValueType& type, uint64_t word, uint32_t strsize);

/// The number in the bits of a float (4) or double.
double float_of(uint64_t word, uint32_t size);

}  // namespace sonde
