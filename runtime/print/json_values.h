// SPDX-License-Identifier: GPL-3.0-or-later
// Values of D as JSON.
#pragma once

#include "runtime/format/format.h"
#include "runtime/print/json.h"

namespace sonde {

/// A value of an action: a number, a string, frames (innermost first) or a name.
void json_value(const ValueType& type, uint64_t word, const FormatSettings& settings, JsonLine& line);
void json_frames(const StackValue& stack, const FormatSettings& settings, JsonLine& line);
/// The value of print(): a struct is an object, an array a list, an array of characters a string.
void json_object(const TypeLayout& type, const uint8_t* bytes, JsonLine& line);

}  // namespace sonde
