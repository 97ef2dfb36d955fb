// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/syscall/shape.h"

#include <algorithm>
#include <iterator>

#include "runtime/process/syscall_table.h"
#include "runtime/syscall/constants.h"

namespace sonde {
namespace {

constexpr CallShape kShapes[] = {
#include SONDE_ARCH_SHAPES
};
static_assert(std::ranges::is_sorted(kShapes, {}, &CallShape::number));
constexpr auto kByNumber = places_by_number(kShapes);

constexpr StructSize kSizes[] = {
#define SONDE_SIZE(name, bytes, most) {bytes, most},
    SONDE_STRUCTS(SONDE_SIZE)
#undef SONDE_SIZE
};

}  // namespace

const CallShape* find_shape(uint32_t number) {
  const uint32_t place = number < kByNumber.size() ? kByNumber[number] : kUnnamedCall;
  return place == kUnnamedCall ? nullptr : &kShapes[place];
}

StructSize size_of(Struct::Id id) { return kSizes[id]; }

}  // namespace sonde
