// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/syscall/shape.h"

#include <algorithm>
#include <iterator>

#include "runtime/syscall/constants.h"

namespace sonde {
namespace {

constexpr CallShape kShapes[] = {
#include SONDE_ARCH_SHAPES
};
static_assert(std::ranges::is_sorted(kShapes, {}, &CallShape::number));

constexpr StructSize kSizes[] = {
#define SONDE_SIZE(name, bytes, most) {bytes, most},
    SONDE_STRUCTS(SONDE_SIZE)
#undef SONDE_SIZE
};

}  // namespace

const CallShape* find_shape(uint32_t number) {
  const auto found = std::ranges::lower_bound(kShapes, number, {}, &CallShape::number);
  return found != std::end(kShapes) && found->number == number ? found : nullptr;
}

StructSize size_of(Struct::Id id) { return kSizes[id]; }

}  // namespace sonde
