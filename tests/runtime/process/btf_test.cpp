// SPDX-License-Identifier: GPL-3.0-or-later
// BTF made by the test, intact and damaged; and the kernel's, if it has one.
#include <gtest/gtest.h>
#include <linux/btf.h>

#include <cstring>
#include <filesystem>
#include <random>

#include "runtime/process/c_types.h"
#include "runtime/process/tracepoints.h"

namespace sonde {
namespace {

/// Writes BTF, one type after the other; each add_ returns the number of its type.
class Builder {
 public:
  uint32_t integer(const char* name, uint32_t size, bool is_signed) {
    const uint32_t id = head(name, BTF_KIND_INT, 0, false, size);
    word((is_signed ? BTF_INT_SIGNED << 24 : 0) | size * 8);
    return id;
  }
  uint32_t plain(uint32_t kind, const char* name, uint32_t target, bool flag = false) {
    return head(name, kind, 0, flag, target);
  }
  uint32_t array(uint32_t element, uint32_t index, uint32_t count) {
    const uint32_t id = head("", BTF_KIND_ARRAY, 0, false, 0);
    word(element);
    word(index);
    word(count);
    return id;
  }
  struct Member {
    const char* name;
    uint32_t type, bits, width;
  };
  uint32_t record(uint32_t kind, const char* name, uint32_t size, const std::vector<Member>& members) {
    const uint32_t id = head(name, kind, static_cast<uint32_t>(members.size()), true, size);
    for (const Member& one : members) {
      word(text(one.name));
      word(one.type);
      word(one.width << 24 | one.bits);
    }
    return id;
  }
  uint32_t enumeration(const char* name, const std::vector<std::pair<const char*, int32_t>>& values) {
    const uint32_t id = head(name, BTF_KIND_ENUM, static_cast<uint32_t>(values.size()), true, 4);
    for (const auto& [one, value] : values) {
      word(text(one));
      word(static_cast<uint32_t>(value));
    }
    return id;
  }
  uint32_t function(const char* name, uint32_t result,
                    const std::vector<std::pair<const char*, uint32_t>>& parameters) {
    return head(name, BTF_KIND_FUNC, 0, false, prototype(result, parameters));
  }
  uint32_t prototype(uint32_t result, const std::vector<std::pair<const char*, uint32_t>>& parameters) {
    const uint32_t proto = head("", BTF_KIND_FUNC_PROTO, static_cast<uint32_t>(parameters.size()), false, result);
    for (const auto& [one, type] : parameters) {
      word(text(one));
      word(type);
    }
    return proto;
  }
  std::vector<uint8_t> bytes() const {
    btf_header header{};
    header.magic = BTF_MAGIC;
    header.version = 1;
    header.hdr_len = sizeof header;
    header.type_len = static_cast<uint32_t>(types_.size());
    header.str_off = header.type_len;
    header.str_len = static_cast<uint32_t>(names_.size());
    std::vector<uint8_t> all(sizeof header);
    std::memcpy(all.data(), &header, sizeof header);
    all.insert(all.end(), types_.begin(), types_.end());
    all.insert(all.end(), names_.begin(), names_.end());
    return all;
  }

 private:
  uint32_t head(const char* name, uint32_t kind, uint32_t count, bool flag, uint32_t last) {
    word(text(name));
    word(kind << 24 | count | (flag ? 1u << 31 : 0));
    word(last);
    return ++count_;
  }
  uint32_t text(const std::string& name) {
    if (name.empty()) return 0;
    const auto at = static_cast<uint32_t>(names_.size());
    names_ += name + '\0';
    return at;
  }
  void word(uint32_t value) {
    const auto* from = reinterpret_cast<const uint8_t*>(&value);
    types_.insert(types_.end(), from, from + 4);
  }
  std::vector<uint8_t> types_;
  std::string names_ = std::string(1, '\0');
  uint32_t count_ = 0;
};

/// int, struct task { int pid:5; char comm[16]; struct task *next; union { long l; }; enum state state; }, task_t, struct gone, wake()
std::vector<uint8_t> sample() {
  Builder b;
  const uint32_t integer = b.integer("int", 4, true), letter = b.integer("char", 1, true),
                 word = b.integer("long", 8, true);
  const uint32_t comm = b.array(letter, integer, 16);
  const uint32_t pointer = b.plain(BTF_KIND_PTR, "", 8);  // to struct task, which will be type 8
  const uint32_t inner = b.record(BTF_KIND_UNION, "", 8, {{"l", word, 0, 0}});
  const uint32_t state = b.enumeration("state", {{"RUNS", 0}, {"SLEEPS", 1}, {"DEAD", -1}});
  const uint32_t task = b.record(BTF_KIND_STRUCT, "task", 48,
                                 {{"pid", integer, 3, 5},
                                  {"comm", comm, 32, 0},
                                  {"next", pointer, 192, 0},
                                  {"", inner, 256, 0},
                                  {"state", state, 320, 0}});
  EXPECT_EQ(task, 8u);
  b.plain(BTF_KIND_TYPEDEF, "task_t", task);
  const uint32_t fixed = b.plain(BTF_KIND_CONST, "", task);
  const uint32_t to_fixed = b.plain(BTF_KIND_PTR, "", fixed);
  b.plain(BTF_KIND_FWD, "gone", 0);
  b.function("wake", integer, {{"who", to_fixed}, {"how", state}});
  return b.bytes();
}

TEST(Btf, DescribesItsTypes) {
  auto types = parse_btf(sample());
  ASSERT_TRUE(types);
  auto id = (*types)->find(CName::Struct, "task");
  ASSERT_TRUE(id);
  const CType task = (*types)->type(*id);
  EXPECT_EQ(task.kind, CType::Kind::Struct);
  EXPECT_EQ(task.size, 48u);
  ASSERT_EQ(task.members.size(), 5u);
  EXPECT_EQ(task.members[0].bit_offset, 3u);
  EXPECT_EQ(task.members[0].bit_width, 5u);
  EXPECT_EQ(task.members[1].bit_offset, 32u);
  EXPECT_EQ((*types)->type(task.members[1].type).count, 16u);
  EXPECT_EQ((*types)->spelling(task.members[2].type), "struct task *");
  EXPECT_TRUE(task.members[3].name.empty());
  EXPECT_EQ((*types)->type(task.members[3].type).kind, CType::Kind::Union);
  const CType state = (*types)->type(task.members[4].type);
  ASSERT_EQ(state.enumerators.size(), 3u);
  EXPECT_EQ(state.enumerators[2].value, -1);
  auto named = (*types)->find(CName::Typedef, "task_t");
  ASSERT_TRUE(named);
  EXPECT_EQ((*types)->type(*named).target, *id);
  auto gone = (*types)->find(CName::Struct, "gone");
  ASSERT_TRUE(gone);
  EXPECT_FALSE((*types)->type(*gone).complete);
  EXPECT_FALSE((*types)->find(CName::Union, "task"));
  EXPECT_EQ((*types)->type(12345).kind, CType::Kind::Void);
}

TEST(Btf, DescribesFunctions) {
  auto types = parse_btf(sample());
  ASSERT_TRUE(types);
  auto wake = (*types)->function("wake");
  ASSERT_TRUE(wake);
  ASSERT_EQ(wake->parameters.size(), 2u);
  EXPECT_EQ(wake->parameters[0].name, "who");
  EXPECT_EQ((*types)->spelling(wake->parameters[0].type), "struct task *");
  EXPECT_EQ((*types)->spelling(wake->result), "int");
  EXPECT_FALSE((*types)->function("sleep"));
}

TEST(Btf, RefusesWhatIsNone) {
  EXPECT_FALSE(parse_btf({}));
  EXPECT_FALSE(parse_btf(std::vector<uint8_t>(100)));
  std::vector<uint8_t> cut = sample();
  cut.resize(cut.size() - 5);
  EXPECT_FALSE(parse_btf(cut));
}

void look_at_everything(CTypes& types) {
  for (CTypeId id = 0; id < 40; ++id) {
    types.type(id);
    types.spelling(id);
  }
  types.find(CName::Struct, "task");
  types.find(CName::Typedef, "task_t");
  types.function("wake");
}

TEST(Btf, DamageGivesLessButNeverACrash) {
  const std::vector<uint8_t> whole = sample();
  std::mt19937 random(3);
  for (int round = 0; round < 20000; ++round) {
    std::vector<uint8_t> bytes = whole;
    for (uint32_t i = 0, damages = 1 + random() % 6; i < damages; ++i)
      bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    if (round % 7 == 0) bytes.resize(random() % bytes.size());
    if (auto types = parse_btf(std::move(bytes))) look_at_everything(**types);
  }
}

TEST(Btf, ReadsTheKernelThatRuns) {
  const std::string path = "/sys/kernel/btf/vmlinux";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "this kernel has no BTF";
  auto types = read_btf(path);
  ASSERT_TRUE(types);
  auto id = (*types)->find(CName::Struct, "task_struct");
  ASSERT_TRUE(id);
  const CType task = (*types)->type(*id);
  EXPECT_GT(task.size, 1000u);
  EXPECT_TRUE(
      std::any_of(task.members.begin(), task.members.end(), [](const CMember& one) { return one.name == "comm"; }));
}

/// A tracepoint is a typedef of pointers to the functions that it calls; what they are given first is their own.
TEST(Btf, Tracepoints) {
  Builder builder;
  const uint32_t unsigned_int = builder.integer("unsigned int", 4, false), byte = builder.integer("char", 1, true);
  const uint32_t task = builder.record(BTF_KIND_STRUCT, "task", 8, {{"pid", unsigned_int, 0, 0}});
  const uint32_t pointer = builder.plain(BTF_KIND_PTR, "", task);
  const uint32_t state = builder.plain(BTF_KIND_TYPEDEF, "state_t", byte);
  const uint32_t function = builder.prototype(
      kCVoid,
      {{"__data", builder.plain(BTF_KIND_PTR, "", kCVoid)}, {"who", pointer}, {"n", unsigned_int}, {"state", state}});
  builder.plain(BTF_KIND_TYPEDEF, "btf_trace_switches", builder.plain(BTF_KIND_PTR, "", function));
  builder.plain(BTF_KIND_TYPEDEF, "btf_trace_broken", unsigned_int);
  builder.plain(BTF_KIND_TYPEDEF, "trace_other", unsigned_int);
  auto types = parse_btf(builder.bytes());
  ASSERT_TRUE(types) << types.error().message();
  EXPECT_EQ(tracepoint_names(**types), (std::vector<std::string>{"broken", "switches"}));
  const auto found = find_tracepoint(**types, "switches");
  ASSERT_TRUE(found);
  ASSERT_EQ(found->parameters.size(), 3u);
  EXPECT_EQ(found->parameters[0].name, "who");
  EXPECT_EQ((*types)->spelling(found->parameters[0].type), "struct task *");
  const auto arguments = tracepoint_arguments(**types, "switches");
  ASSERT_TRUE(arguments);
  ASSERT_EQ(arguments->size(), 3u);
  EXPECT_EQ((*arguments)[0].bytes, 8u);
  EXPECT_EQ((*arguments)[1].bytes, 4u);
  EXPECT_FALSE((*arguments)[1].is_signed);
  EXPECT_EQ((*arguments)[2].bytes, 1u);
  EXPECT_TRUE((*arguments)[2].is_signed);
  EXPECT_FALSE(tracepoint_arguments(**types, "broken")) << "no function";
  EXPECT_EQ(tracepoint_arguments(**types, "absent").error().code(), ENOENT);
}

}  // namespace
}  // namespace sonde
