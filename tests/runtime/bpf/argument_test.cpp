// SPDX-License-Identifier: GPL-3.0-or-later
// Arguments by their types, in this very process: what a program finds is what sonde_location_read() finds
#include "runtime/bpf/argument_code.h"

#include <gtest/gtest.h>
#include <sys/uio.h>

#include <array>
#include <cstring>
#include <random>

#include "kmod/shared/locate.h"
#include "tests/runtime/bpf/user_programs.h"

namespace sonde::bpf::user {
namespace {

using test::insn;

enum Number : uint8_t { Rdx = 1, Rcx = 2, Rsi = 4, Rdi = 5, Rsp = 7, R8 = 8, R9 = 9, Rip = 16 };

sonde_location part(sonde_location_kind kind, uint8_t base, int64_t value, uint32_t at, uint32_t size,
                    uint8_t argument = 0) {
  return {static_cast<uint8_t>(kind), 0, argument, base, SONDE_NO_REGISTER, 0, 0, at, size, value};
}

/// A fire part that reads arguments, each read in a slot of its own.
struct Reads : Program {
  uint8_t number(uint64_t value) {
    const auto at = static_cast<int32_t>(pool.size());
    pool.resize(pool.size() + sizeof value);
    std::memcpy(pool.data() + at, &value, sizeof value);
    insns.push_back(insn(SONDE_DIF_LC, next_, 0, 0, at));
    return next_++;
  }
  void address(uint32_t argument, uint32_t from) {
    next_ = 0;
    number(SONDE_ARGUMENT_ADDRESS(argument));
    number(from);
    insns.push_back(insn(SONDE_DIF_ADD, 0, 0, 1));
  }
  void load(uint32_t argument, uint32_t from, uint32_t bytes, sonde_dif_op op = SONDE_DIF_LDU) {
    address(argument, from);
    insns.push_back(insn(op, 0, 0, 0, static_cast<int32_t>(bytes)));
    insns.push_back(insn(SONDE_DIF_CAPW, static_cast<unsigned>(kinds.size()), 0));
    kinds.push_back(SONDE_SLOT_WORD);
  }
  void copy(uint32_t argument, uint32_t from, uint32_t bytes) {
    address(argument, from);
    insns.push_back(insn(SONDE_DIF_LI, 1, 0, 0, static_cast<int32_t>(bytes)));
    insns.push_back(insn(SONDE_DIF_CAPMEM, static_cast<unsigned>(kinds.size()), 0, 1, static_cast<int32_t>(bytes)));
    kinds.push_back(SONDE_SLOT_BYTES);
  }
  void end() { insns.push_back(insn(SONDE_DIF_RECORD)); }

 private:
  uint8_t next_ = 0;
};

struct Seen {
  Words slots;
  uint64_t faults;
  std::vector<std::string> spans;  ///< by slot
};

class TypedArguments : public UserPrograms {
 protected:
  /// The rows 0, 1, ... have these lists.
  std::vector<UniqueFd> begin(Reads& fire, const std::vector<std::vector<sonde_location>>& lists, const Code& code,
                              std::vector<uint64_t> offsets, sonde_tap_kind kind = SONDE_TAP_USER_ENTRY) {
    table = map(create_map("table", {BPF_MAP_TYPE_ARRAY, 4, row_bytes(2), kRows, 0}));
    UserProgram program = wanted(kind, fire);
    std::vector<std::pair<uint64_t, uint64_t>> sites;
    for (uint32_t n = 0; n < lists.size(); n++) {
      const uint32_t row[] = {kProbe, kEpid, n, 0};
      EXPECT_TRUE(update_map(table.get(), &n, row));
      program.columns.front().places.push_back({n, lists[n]});
      sites.emplace_back(offsets[n], make_cookie(n, 0, false));
    }
    auto insns = build_user_program(program, world());
    instructions = insns ? insns->size() : 0;
    return arm(insns, code, sites);
  }
  std::vector<Seen> seen() {
    std::vector<Seen> all;
    reader.drain(0, true, [&](const sonde_record& record) {
      const auto* bytes = reinterpret_cast<const char*>(&record);
      const auto* slots = reinterpret_cast<const uint64_t*>(bytes + slot_at);
      Seen one{{slots, slots + record.slots}, record.faults, {}};
      for (const uint64_t slot : one.slots) {
        const uint64_t at = slot >> 32, length = slot & 0xffffffff;
        const bool fits = at >= slot_at && at <= record.size && length <= record.size - at;
        one.spans.push_back(fits ? std::string(bytes + at, length) : "");
      }
      all.push_back(std::move(one));
    });
    return all;
  }
  size_t instructions = 0;
};

/// Each register, the stack, and the instruction itself.
TEST_F(TypedArguments, AreInEachRegister) {
  constexpr std::array<uint8_t, 16> kEncoded = {0, 2, 1, 3, 6, 7, 5, 4, 8, 9, 10, 11, 12, 13, 14, 15};  // by DWARF's
  std::vector<uint8_t> bytes = {0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57};  // push what is kept
  const auto add = [&bytes](std::initializer_list<int> more) {
    for (const int one : more) bytes.push_back(static_cast<uint8_t>(one));
  };
  add({0x68, 0xe8, 3, 0, 0});  // push $1000
  for (uint8_t number = 0; number < 16; number++)
    if (number != Rsp)
      add({0x48 | (kEncoded[number] >> 3), 0xc7, 0xc0 | (kEncoded[number] & 7), 100 + number, 0, 0, 0});  // mov
  const uint64_t site = bytes.size();
  add({0x55, 0x5d, 0x58, 0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b, 0xc3});
  const Code code(bytes);
  Reads fire;
  std::vector<sonde_location> list;
  for (uint8_t number = 0; number < 17; number++) {
    list.push_back(number == Rsp ? part(SONDE_LOCATION_MEMORY, Rsp, 0, 0, 8, number)
                                 : part(SONDE_LOCATION_REGISTER, number, 0, 0, 8, number));
    fire.load(number, 0, 8);
  }
  fire.end();
  const auto armed = begin(fire, {list}, code, {site});
  code.call();
  Words wanted;
  for (uint64_t number = 0; number < 16; number++) wanted.push_back(number == Rsp ? 1000 : 100 + number);
  wanted.push_back(reinterpret_cast<uint64_t>(code.at()) + site);
  const auto all = seen();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all.front().slots, wanted);
  EXPECT_EQ(all.front().faults, 0u);
}

int read_own(void*, uint64_t address, void* to, uint32_t length) {
  const iovec here{to, length}, there{reinterpret_cast<void*>(address), length};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == static_cast<ssize_t>(length) ? 0 : -1;
}
int no_vector(void*, uint32_t, void*) { return -1; }

/// A list of random parts of random kinds, with a hole now and then.
std::vector<sonde_location> random_list(std::mt19937& random) {
  const auto below = [&random](uint32_t most) { return static_cast<uint32_t>(random() % most); };
  constexpr std::array<uint8_t, 5> kNumbers = {Rdi, Rsi, Rdx, R8, Rdi};
  std::vector<sonde_location> list;
  for (uint32_t at = 0; at < 64;) {
    const uint32_t size = 1 + below(8), value = below(9 - size);
    sonde_location one = part(SONDE_LOCATION_REGISTER, kNumbers[below(5)], value, at, size);
    switch (below(7)) {
      case 0: one = part(SONDE_LOCATION_CONSTANT, 0, static_cast<int64_t>(random() * 0x123456789ull), at, size); break;
      case 1: one = part(SONDE_LOCATION_MEMORY, Rcx, below(64), at, size + below(20)); break;
      case 2: one = part(SONDE_LOCATION_BEHIND, R9, 8 * below(2), at, size + below(20)); break;
      case 3:
        one = part(SONDE_LOCATION_MEMORY, Rcx, -8, at, size);
        one.index = R8;
        one.scale = static_cast<uint8_t>(1u << below(4));
        break;
      case 4: one = part(SONDE_LOCATION_ADDRESS, Rcx, below(1000), at, size); break;
      default: break;
    }
    if (below(4) == 0) one.flags = SONDE_LOCATION_SIGN;
    at += one.size;
    if (below(12) != 0) list.push_back(one);
  }
  return list;
}

TEST_F(TypedArguments, AreWhatTheInterpreterReads) {
  const Code code({0x55, 0x5d, 0xc3, 0x90, 0x90, 0x90, 0x90, 0x90, 0x55, 0x5d, 0xc3});
  std::vector<uint64_t> memory(64);
  std::mt19937 random(4711);
  for (uint64_t& word : memory) word = random() * 0x100000001ull;
  const uint64_t base = reinterpret_cast<uint64_t>(memory.data());
  const std::array<uint64_t, 2> pointers = {base + 3, base + 160};
  int read_well = 0, failed = 0;
  for (int round = 0; round < 24; round++) {
    const std::vector<std::vector<sonde_location>> lists = {random_list(random), random_list(random)};
    Reads fire;
    struct One {
      uint32_t from, bytes;
      bool copies, is_signed;
    };
    std::vector<One> all;
    for (int n = 0; n < 30; n++) {
      const bool copies = random() % 3 == 0, is_signed = !copies && random() % 2 == 0;
      const auto bytes = copies ? 1 + static_cast<uint32_t>(random() % 40) : 1u << random() % (is_signed ? 3 : 4);
      const One one{static_cast<uint32_t>(random() % 50), bytes, copies, is_signed};
      copies ? fire.copy(0, one.from, bytes) : fire.load(0, one.from, bytes, is_signed ? SONDE_DIF_LDS : SONDE_DIF_LDU);
      all.push_back(one);
    }
    fire.end();
    const auto armed = begin(fire, lists, code, {0, 8});
    std::array<uint64_t, SONDE_CFI_REGISTERS> registers{};
    registers[Rdi] = random() * 0x100000003ull, registers[Rsi] = ~0ull - random(), registers[Rdx] = random();
    registers[Rcx] = base, registers[R8] = 1 + random() % 20,
    registers[R9] = reinterpret_cast<uint64_t>(pointers.data());
    const sonde_location_state state{registers.data(), 0, read_own, no_vector, nullptr};
    for (uint32_t row = 0; row < 2; row++) {
      reinterpret_cast<void (*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t)>(
          reinterpret_cast<uintptr_t>(code.at() + 8 * row))(registers[Rdi], registers[Rsi], registers[Rdx],
                                                            registers[Rcx], registers[R8], registers[R9]);
      const auto found = seen();
      ASSERT_EQ(found.size(), 1u) << "round " << round;
      for (size_t n = 0; n < all.size(); n++) {
        std::array<char, 64> bytes{};
        const One& one = all[n];
        const bool right =
            sonde_location_read(lists[row].data(), static_cast<uint32_t>(lists[row].size()),
                                SONDE_ARGUMENT_ADDRESS(0) + one.from, bytes.data(), one.bytes, &state) == 0;
        const std::string what = "round " + std::to_string(round) + ", row " + std::to_string(row) + ", read " +
                                 std::to_string(n) + ": " + std::to_string(one.bytes) + " bytes from " +
                                 std::to_string(one.from);
        EXPECT_EQ(found.front().faults >> n & 1, right ? 0u : 1u) << what;
        (right ? read_well : failed)++;
        if (!right) {
          EXPECT_EQ(found.front().slots[n], SONDE_ARGUMENT_ADDRESS(0) + one.from) << what;
        } else if (one.copies) {
          EXPECT_EQ(found.front().spans[n], std::string(bytes.data(), one.bytes)) << what;
        } else {
          uint64_t value = 0;
          std::memcpy(&value, bytes.data(), one.bytes);
          const auto above = 64 - 8 * one.bytes;
          if (one.is_signed) value = static_cast<uint64_t>(static_cast<int64_t>(value << above) >> above);
          EXPECT_EQ(found.front().slots[n], value) << what;
        }
      }
    }
  }
  EXPECT_GT(read_well, 500);
  EXPECT_GT(failed, 100);
}

/// Taps of one program, each with a list of its own; two of them agree in what is read.
TEST_F(TypedArguments, AreFoundByTheListOfTheRow) {
  const Code code({0x55, 0x5d, 0xc3, 0x90, 0x55, 0x5d, 0xc3, 0x90, 0x55, 0x5d, 0xc3, 0x90, 0x55, 0x5d, 0xc3});
  Reads fire;
  fire.load(0, 0, 4);
  fire.end();
  const auto armed = begin(fire,
                           {{part(SONDE_LOCATION_REGISTER, Rdi, 0, 0, 4)},
                            {part(SONDE_LOCATION_REGISTER, Rsi, 0, 0, 4)},
                            {part(SONDE_LOCATION_REGISTER, Rdi, 0, 0, 4), part(SONDE_LOCATION_REGISTER, Rdx, 0, 4, 4)},
                            {part(SONDE_LOCATION_CONSTANT, 0, 77, 0, 4)}},
                           code, {0, 4, 8, 12});
  Words found;
  for (const size_t row : {0u, 1u, 2u, 3u}) {
    reinterpret_cast<void (*)(uint64_t, uint64_t)>(reinterpret_cast<uintptr_t>(code.at() + 4 * row))(11, 22);
    for (const Seen& one : seen()) found.push_back(one.slots.front());
  }
  EXPECT_EQ(found, Words({11, 22, 11, 77}));
}

/// The result, where the function leaves.
TEST_F(TypedArguments, AreAResultInTwoRegisters) {
  const Code code({0x48, 0x89, 0xf8, 0x48, 0x89, 0xf2, 0xc3});  // mov %rdi, %rax; mov %rsi, %rdx; ret
  put(0, {.how = SONDE_LEAVE_RETURN, .length = 1}, 6);
  Reads fire;
  fire.load(1, 0, 8);
  fire.load(1, 8, 4);
  fire.copy(1, 0, 12);
  fire.end();
  const auto armed =
      begin(fire, {{part(SONDE_LOCATION_REGISTER, 0, 0, 0, 8, 1), part(SONDE_LOCATION_REGISTER, Rdx, 0, 8, 4, 1)}},
            code, {6}, SONDE_TAP_USER_RETURN);
  code.call(1234567890123ul, 0xffff00000007ul);
  const auto all = seen();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(Words({all.front().slots[0], all.front().slots[1]}), Words({1234567890123ul, 7}));
  const uint64_t low = 1234567890123ul, high = 7;
  EXPECT_EQ(all.front().spans[2],
            std::string(reinterpret_cast<const char*>(&low), 8) + std::string(reinterpret_cast<const char*>(&high), 4));
}

/// A predicate's load that fails ends the program with the fault's record; the next firing has none.
TEST_F(TypedArguments, AreAFaultInAPredicate) {
  const Code code({0x55, 0x5d, 0xc3});
  Reads fire;
  fire.address(0, 0);
  fire.insns.push_back(insn(SONDE_DIF_LDU, 0, 0, 0, 8));
  fire.insns.push_back(insn(SONDE_DIF_JZ, 0, 0, 0, 2));
  fire.insns.push_back(insn(SONDE_DIF_CAPW, 0, 0));
  fire.insns.push_back(insn(SONDE_DIF_RECORD));
  fire.insns.push_back(insn(SONDE_DIF_FAIL));
  fire.kinds.push_back(SONDE_SLOT_WORD);
  const auto armed = begin(fire, {{part(SONDE_LOCATION_MEMORY, Rdi, 0, 0, 8)}}, code, {0});
  const uint64_t word = 5;
  code.call(uint64_t{8});
  code.call(&word);
  const auto all = seen();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].slots, Words({SONDE_ARGUMENT_ADDRESS(0)}));
  EXPECT_EQ(all[0].faults, 1u);
  EXPECT_EQ(all[1].slots, Words({5}));
  EXPECT_EQ(all[1].faults, 0u);
}

/// A predicate on a register takes no ring: whoever says no there is no firing of a ring.
TEST_F(TypedArguments, InARegisterNeedNoRing) {
  const Code code({0x55, 0x5d, 0xc3});
  const auto sequences = [this] {
    uint64_t sum = 0;
    for (const MappedRing& ring : rings.mapped())
      sum += *reinterpret_cast<const uint32_t*>(reinterpret_cast<const char*>(ring.get()) + kSequence);
    return sum;
  };
  for (const bool in_memory : {false, true}) {
    Reads fire;
    fire.address(0, 0);
    fire.insns.push_back(insn(SONDE_DIF_LDU, 0, 0, 0, 8));
    fire.insns.push_back(insn(SONDE_DIF_JNZ, 0, 0, 0, 1));
    fire.insns.push_back(insn(SONDE_DIF_FAIL));
    fire.insns.push_back(insn(SONDE_DIF_CAPW, 0, 0));
    fire.insns.push_back(insn(SONDE_DIF_RECORD));
    fire.kinds.push_back(SONDE_SLOT_WORD);
    const auto armed =
        begin(fire, {{part(in_memory ? SONDE_LOCATION_MEMORY : SONDE_LOCATION_REGISTER, Rdi, 0, 0, 8)}}, code, {0});
    const uint64_t before = sequences(), zero = 0;
    code.call(in_memory ? reinterpret_cast<uint64_t>(&zero) : 0ul);
    EXPECT_EQ(sequences() - before, in_memory ? 1u : 0u);
    EXPECT_TRUE(seen().empty());
  }
}

TEST(ArgumentReads, AreConstantsOfTheProgram) {
  Reads fire;
  fire.load(3, 8, 4);
  fire.copy(1, 0, 24);
  fire.insns.push_back(insn(SONDE_DIF_ARG, 0, 0, 0, 0));
  fire.insns.push_back(insn(SONDE_DIF_LDU, 0, 0, 0, 8));
  fire.insns.push_back(insn(SONDE_DIF_CAPW, 2, 0));
  fire.kinds.push_back(SONDE_SLOT_WORD);
  fire.end();
  ASSERT_EQ(fire.verify(), 0) << fire.why;
  std::vector<std::array<uint32_t, 3>> all;
  for (const auto& [at, read] : argument_reads(fire.raw)) all.push_back({read.argument, read.from, read.length});
  EXPECT_EQ(all, (std::vector<std::array<uint32_t, 3>>{{3, 8, 4}, {1, 0, 24}}));
}

/// Where paths meet, nothing is known of a register: the address is this one, or another.
TEST(ArgumentReads, ForgetWherePathsMeet) {
  Reads fire;
  fire.insns.push_back(insn(SONDE_DIF_ARG, 0, 0, 0, 0));
  fire.insns.push_back(insn(SONDE_DIF_JZ, 0, 0, 0, 1));
  fire.number(SONDE_ARGUMENT_ADDRESS(0));
  fire.insns.push_back(insn(SONDE_DIF_LDU, 0, 0, 0, 8));
  fire.insns.push_back(insn(SONDE_DIF_CAPW, 0, 0));
  fire.kinds.push_back(SONDE_SLOT_WORD);
  fire.end();
  ASSERT_EQ(fire.verify(), 0) << fire.why;
  EXPECT_TRUE(argument_reads(fire.raw).empty());
}

TEST(ArgumentReads, SayWhatCannotBeRead) {
  const std::vector<sonde_location> mixed = {part(SONDE_LOCATION_REGISTER, Rdi, 0, 0, 8),
                                             part(SONDE_LOCATION_VECTOR, 0, 0, 8, 8)};
  EXPECT_EQ(why_unreadable({0, 0, 8}, mixed), "");
  EXPECT_EQ(why_unreadable({0, 0, 16}, mixed),
            "args[0] is in a vector register, which programs in the kernel cannot read");
  EXPECT_EQ(why_unreadable({1, 0, 8}, mixed), "") << "it has no place: a fault where it fires";
  const std::vector<ArgumentRead> reads = {{0, 0, 8}};
  EXPECT_EQ(places_read(reads, {}).size(), 0u);
  EXPECT_EQ(places_read(reads, std::vector{mixed[0], part(SONDE_LOCATION_REGISTER, Rsi, 0, 0, 8, 1)}).size(), 1u);
}

}  // namespace
}  // namespace sonde::bpf::user
