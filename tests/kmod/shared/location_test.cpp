// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "kmod/shared/locate.h"

namespace sonde::test {
namespace {

/// A thread with numbered registers, numbered vectors and little memory.
struct Target {
  std::array<uint64_t, SONDE_CFI_REGISTERS> registers{};
  std::map<uint64_t, std::vector<uint8_t>> memory;
  int vectors_read = 0;

  static int read(void* context, uint64_t address, void* to, uint32_t length) {
    for (const auto& [start, bytes] : static_cast<Target*>(context)->memory) {
      if (address < start || address - start > bytes.size() || bytes.size() - (address - start) < length) continue;
      std::memcpy(to, bytes.data() + (address - start), length);
      return 0;
    }
    return -1;
  }
  static int vector(void* context, uint32_t number, void* to) {
    static_cast<Target*>(context)->vectors_read++;
    std::memset(to, static_cast<int>(number), SONDE_VECTOR_BYTES);
    static_cast<uint8_t*>(to)[8] = 0x88;
    return 0;
  }
  sonde_location_state state() { return {registers.data(), 0x7000, read, vector, this}; }
};

sonde_location part(sonde_location_kind kind, uint8_t base, int64_t value, uint32_t at, uint32_t size,
                    uint8_t argument = 0) {
  return {static_cast<uint8_t>(kind), 0, argument, base, SONDE_NO_REGISTER, 0, 0, at, size, value};
}

/// The bytes, as a little-endian number; nothing: the read failed.
std::optional<uint64_t> read(Target& target, const std::vector<sonde_location>& list, uint64_t address,
                             uint32_t length) {
  const sonde_location_state state = target.state();
  uint64_t value = 0;
  const int error =
      sonde_location_read(list.data(), static_cast<uint32_t>(list.size()), address, &value, length, &state);
  return error == 0 ? std::optional(value) : std::nullopt;
}

TEST(Location, EachKind) {
  Target target;
  target.registers[5] = 0x1122334455667788;
  target.registers[7] = 0x1000;
  target.registers[3] = 2;
  target.memory[0x1008] = {1, 2, 3, 4, 5, 6, 7, 8};
  target.memory[0x1018] = {0x08, 0x10, 0, 0, 0, 0, 0, 0};
  target.memory[0x7010] = {0x77};
  const uint64_t at = SONDE_ARGUMENT_ADDRESS(0);
  EXPECT_EQ(read(target, {part(SONDE_LOCATION_REGISTER, 5, 0, 0, 8)}, at, 8), 0x1122334455667788u);
  EXPECT_EQ(read(target, {part(SONDE_LOCATION_REGISTER, 5, 1, 0, 1)}, at, 1), 0x77u);
  EXPECT_EQ(read(target, {part(SONDE_LOCATION_VECTOR, 3, 8, 0, 8)}, at, 2), 0x0388u);
  EXPECT_EQ(read(target, {part(SONDE_LOCATION_CONSTANT, 0, 0x4142, 0, 8)}, at + 1, 1), 0x41u);
  EXPECT_EQ(read(target, {part(SONDE_LOCATION_MEMORY, 7, 8, 0, 8)}, at + 4, 4), 0x08070605u);
  EXPECT_EQ(read(target, {part(SONDE_LOCATION_BEHIND, 7, 0x18, 0, 8)}, at + 2, 2), 0x0403u);
  sonde_location indexed = part(SONDE_LOCATION_MEMORY, 7, 0, 0, 4);
  indexed.index = 3;
  indexed.scale = 4;
  EXPECT_EQ(read(target, {indexed}, at, 4), 0x04030201u);
  sonde_location in_block = part(SONDE_LOCATION_MEMORY, SONDE_NO_REGISTER, 0x10, 0, 1);
  in_block.flags = SONDE_LOCATION_THREAD;
  EXPECT_EQ(read(target, {in_block}, at, 1), 0x77u);
}

TEST(Location, SignsAndAddresses) {
  Target target;
  target.registers[5] = 0x1122334455667788;
  target.registers[7] = 0x1000;
  target.memory[0x1008] = {0x7f, 0x80};
  const uint64_t at = SONDE_ARGUMENT_ADDRESS(0);
  const auto sign = [](sonde_location location) {
    location.flags = SONDE_LOCATION_SIGN;
    return location;
  };
  EXPECT_EQ(read(target, {sign(part(SONDE_LOCATION_REGISTER, 5, 0, 0, 8))}, at, 8), ~uint64_t{0});
  EXPECT_EQ(read(target, {sign(part(SONDE_LOCATION_REGISTER, 5, 2, 0, 8))}, at + 3, 4), 0u);
  EXPECT_EQ(read(target, {sign(part(SONDE_LOCATION_MEMORY, 7, 8, 0, 4))}, at, 4), 0u);
  EXPECT_EQ(read(target, {sign(part(SONDE_LOCATION_MEMORY, 7, 9, 0, 4))}, at + 1, 2), 0xffffu);
  EXPECT_FALSE(read(target, {sign(part(SONDE_LOCATION_MEMORY, 7, 10, 0, 4))}, at, 4)) << "absent memory";
  EXPECT_EQ(read(target, {part(SONDE_LOCATION_ADDRESS, 7, -1, 0, 8)}, at + 1, 2), 0x0fu);
  sonde_location at_end = sign(part(SONDE_LOCATION_REGISTER, 5, 7, 0, 100));
  EXPECT_EQ(sonde_location_check(&at_end), 0) << "one byte of it is read";
  at_end.value = 8;
  EXPECT_NE(sonde_location_check(&at_end), 0);
  const sonde_location too_long = part(SONDE_LOCATION_ADDRESS, 7, 0, 0, 9);
  EXPECT_NE(sonde_location_check(&too_long), 0);
}

TEST(Location, PartsMakeAValue) {
  Target target;
  target.registers[5] = 0x1122334455667788;
  const std::vector<sonde_location> list = {part(SONDE_LOCATION_REGISTER, 5, 0, 0, 8),
                                            part(SONDE_LOCATION_VECTOR, 6, 0, 8, 4),
                                            part(SONDE_LOCATION_REGISTER, 5, 4, 0, 4, 3)};
  const uint64_t at = SONDE_ARGUMENT_ADDRESS(0);
  EXPECT_EQ(read(target, list, at + 4, 8), 0x0606060611223344u);
  EXPECT_EQ(read(target, list, SONDE_ARGUMENT_ADDRESS(3), 4), 0x11223344u);
  EXPECT_EQ(target.vectors_read, 1);
  EXPECT_FALSE(read(target, list, at + 8, 8)) << "beyond the last part";
  EXPECT_FALSE(read(target, list, SONDE_ARGUMENT_ADDRESS(1), 1)) << "no such argument";
  EXPECT_FALSE(read(target, list, SONDE_ARGUMENT_ADDRESS(0) - 1, 2));
  EXPECT_FALSE(read(target, {part(SONDE_LOCATION_MEMORY, 7, 0, 0, 8)}, at, 8)) << "absent memory";
  EXPECT_FALSE(read(target, {part(SONDE_LOCATION_BEHIND, 7, 0, 0, 8)}, at, 8));
}

TEST(Location, WindowIsNoAddress) {
  EXPECT_TRUE(sonde_is_argument(SONDE_ARGUMENT_ADDRESS(0)));
  EXPECT_TRUE(sonde_is_argument(SONDE_ARGUMENT_ADDRESS(SONDE_ARGUMENTS_MAX - 1) + 0xffffffff));
  for (uint64_t address : {uint64_t{0}, uint64_t{0x7fffffffffff}, uint64_t{0xffff800000000000}, ~uint64_t{0}})
    EXPECT_FALSE(sonde_is_argument(address));
  const auto top = static_cast<int64_t>(SONDE_ARGUMENT_WINDOW);
  EXPECT_LT(top, 0) << "so that access_ok() refuses it on every kernel";
  EXPECT_NE(top >> 47, -1) << "canonical";
  EXPECT_NE(top >> 56, -1) << "canonical with five levels of page tables";
}

TEST(Location, Check) {
  const auto valid = [](const std::function<void(sonde_location&)>& change, sonde_location location) {
    change(location);
    return sonde_location_check(&location) == 0;
  };
  const sonde_location in_register = part(SONDE_LOCATION_REGISTER, 5, 0, 0, 8);
  const sonde_location in_vector = part(SONDE_LOCATION_VECTOR, 15, 0, 0, 16);
  const sonde_location in_memory = part(SONDE_LOCATION_MEMORY, SONDE_NO_REGISTER, -8, 0, 4096);
  const auto nothing = [](sonde_location&) {};
  EXPECT_TRUE(valid(nothing, in_register));
  EXPECT_TRUE(valid(nothing, in_vector));
  EXPECT_TRUE(valid(nothing, in_memory));
  EXPECT_TRUE(valid(nothing, part(SONDE_LOCATION_CONSTANT, 0, -1, 0, 8)));
  for (auto change : std::vector<std::function<void(sonde_location&)>>{
           [](auto& l) { l.kind = SONDE_LOCATION_NONE; }, [](auto& l) { l.kind = SONDE_LOCATION_COUNT; },
           [](auto& l) { l.flags = 4; }, [](auto& l) { l.argument = SONDE_ARGUMENTS_MAX; },
           [](auto& l) { l.reserved = 1; }, [](auto& l) { l.size = 0; }, [](auto& l) { l.at = ~0u; }})
    for (const sonde_location& of : {in_register, in_vector, in_memory}) EXPECT_FALSE(valid(change, of));
  EXPECT_FALSE(valid([](auto& l) { l.base = SONDE_CFI_REGISTERS; }, in_register));
  EXPECT_FALSE(valid([](auto& l) { l.size = 9; }, in_register));
  EXPECT_FALSE(valid([](auto& l) { l.value = 1; }, in_register));
  EXPECT_FALSE(valid([](auto& l) { l.value = -1; }, in_register));
  EXPECT_FALSE(valid([](auto& l) { l.base = SONDE_LOCATION_VECTORS; }, in_vector));
  EXPECT_FALSE(valid([](auto& l) { l.value = 8; }, in_vector));
  EXPECT_FALSE(valid([](auto& l) { l.base = SONDE_CFI_REGISTERS; }, in_memory));
  EXPECT_FALSE(valid([](auto& l) { l.index = SONDE_CFI_REGISTERS; }, in_memory));
  EXPECT_FALSE(valid([](auto& l) { l.size = 9; }, part(SONDE_LOCATION_CONSTANT, 0, 0, 0, 8)));
}

}  // namespace
}  // namespace sonde::test
