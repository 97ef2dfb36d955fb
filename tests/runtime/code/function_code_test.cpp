// SPDX-License-Identifier: GPL-3.0-or-later
// Real instructions, assembled: which of them leave each function
#include "runtime/code/function_code.h"

#include <gmock/gmock.h>

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>

namespace sonde {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// A shared object made from assembly or C.
class Object {
 public:
  explicit Object(const std::string& source, const std::string& command = "cc -x assembler -nostdlib -shared",
                  bool strip = false) {
    char made[] = "/tmp/sonde-code-XXXXXX";
    directory_ = mkdtemp(made);
    const std::string path = directory_ + "/object", from = directory_ + "/source";
    std::ofstream(from) << source << "\n";
    build(command + " -o " + path + " " + from);
    symbols_ = *ElfFile::open(path);
    if (strip) build("strip -o " + path + ".stripped " + path);
    file_ = *ElfFile::open(strip ? path + ".stripped" : path);
    code_ = *ElfCode::open(file_->path());
  }
  ~Object() { std::filesystem::remove_all(directory_); }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  FunctionCode read(const char* name) {
    const ElfFunction* function = file_->find(name);
    EXPECT_NE(function, nullptr) << name;
    return function == nullptr ? FunctionCode{} : FunctionReader(*file_, *code_).read(*function);
  }
  /// "ret@3", "jmp@4" ..., offsets from `name`.
  std::vector<std::string> leaves(const char* name) { return texts(name, read(name).leaves); }
  std::vector<std::string> reenters(const char* name) {
    const ElfFunction* function = file_->find(name);
    const std::vector<CodePlace> quick = FunctionReader(*file_, *code_).reenters(*function);
    EXPECT_EQ(texts(name, quick), texts(name, read(name).reenters));
    return texts(name, quick);
  }
  ElfCode& code() { return *code_; }
  /// The address of any symbol, from before the object was stripped.
  uint64_t address(const char* name) const { return symbols_->find(name)->address; }

 private:
  static void build(const std::string& command) { EXPECT_EQ(std::system(command.c_str()), 0) << command; }

  std::vector<std::string> texts(const char* name, const std::vector<CodePlace>& places) {
    const char* const kinds[] = {"?", "ret", "jmp", "jcc", "operand", "again", "again-if"};
    std::vector<std::string> all;
    for (const CodePlace& place : places) {
      const auto offset = static_cast<int64_t>(place.offset - file_->find(name)->offset);
      all.push_back(kinds[place.leave.how] + ("@" + std::to_string(offset)));
    }
    return all;
  }

  std::string directory_;
  std::shared_ptr<const ElfFile> file_, symbols_;
  std::shared_ptr<ElfCode> code_;
};

/// Adds to each body what makes it a function with call frame information.
std::string function(const std::string& name, const std::string& body) {
  return ".globl " + name + "\n.type " + name + ",@function\n" + name + ":\n.cfi_startproc\n" + body +
         "\n.cfi_endproc\n.size " + name + ", .-" + name + "\n";
}

TEST(FunctionCode, KindsOfReturns) {
  Object object(function("plain", "nop; ret") + function("popping", "ret $16") +
                function("amd", "test %edi,%edi; repz ret") + function("mpx", "bnd ret"));
  EXPECT_THAT(object.leaves("plain"), ElementsAre("ret@1"));
  EXPECT_THAT(object.leaves("popping"), ElementsAre("ret@0"));
  EXPECT_EQ(object.read("popping").leaves[0].leave.length, 3);
  EXPECT_THAT(object.leaves("amd"), ElementsAre("ret@2"));
  EXPECT_EQ(object.read("amd").leaves[0].leave.length, 2);
  EXPECT_THAT(object.leaves("mpx"), ElementsAre("ret@0"));
  EXPECT_THAT(object.read("amd").instructions, ElementsAre(0, 2));
}

TEST(FunctionCode, JumpsThatLeadOut) {
  Object object(function("far_off", "ret") + function("tail", "test %edi,%edi; jne 1f; ret; 1: jmp far_off") +
                function("maybe", "test %edi,%edi; js far_off; jg 1f; ret; 1: ret"));
  EXPECT_THAT(object.leaves("tail"), ElementsAre("ret@4", "jmp@5"));
  EXPECT_THAT(object.leaves("maybe"), ElementsAre("jcc@2", "ret@6", "ret@7"));
  const sonde_leave js = object.read("maybe").leaves[0].leave;
  EXPECT_EQ(js.condition, 8);
  EXPECT_EQ(js.parts[0].from, -2);
  EXPECT_EQ(js.parts[0].to, 6);
  EXPECT_EQ(js.parts[1].from, js.parts[1].to);
}

TEST(FunctionCode, JumpsThroughOperands) {
  Object object(function("reg", "jmp *%r11") + function("tracked", "notrack jmp *%rax") +
                function("mem", "jmp *8(%rdi,%r12,4)") + function("thread", "bnd jmp *%fs:16(%rbp)") +
                function("slot", "jmp *.+70(%rip)"));
  const auto leave = [&](const char* name) {
    const FunctionCode code = object.read(name);
    EXPECT_THAT(code.leaves, SizeIs(1));
    const sonde_leave found = code.leaves.empty() ? sonde_leave{} : code.leaves[0].leave;
    EXPECT_EQ(found.how, SONDE_LEAVE_JUMP_OPERAND);
    EXPECT_EQ(sonde_leave_check(&found), 0);
    return found;
  };
  const sonde_leave reg = leave("reg");
  EXPECT_EQ(reg.base, 11);
  EXPECT_EQ(reg.flags, 0);
  EXPECT_EQ(leave("tracked").base, 0);
  EXPECT_EQ(leave("tracked").length, 3);
  const sonde_leave mem = leave("mem");
  EXPECT_EQ(mem.flags, SONDE_LEAVE_MEMORY);
  EXPECT_EQ(mem.base, 7);
  EXPECT_EQ(mem.index, 12);
  EXPECT_EQ(mem.scale, 4);
  EXPECT_EQ(mem.displacement, 8);
  const sonde_leave thread = leave("thread");
  EXPECT_EQ(thread.flags, SONDE_LEAVE_MEMORY | SONDE_LEAVE_FS);
  EXPECT_EQ(thread.index, SONDE_LEAVE_NO_REGISTER);
  const sonde_leave slot = leave("slot");
  EXPECT_EQ(slot.base, SONDE_LEAVE_RIP);
  EXPECT_EQ(slot.displacement, 64);
}

/// The frame still exists: the code at the target uses it.
TEST(FunctionCode, AJumpWithAFrameIsNoReturn) {
  Object object(function("other", "ret") +
                function("framed",
                         "push %rbx; .cfi_adjust_cfa_offset 8; test %edi,%edi; je other; jmp *%rax; pop %rbx; "
                         ".cfi_adjust_cfa_offset -8; jne other; ret"));
  EXPECT_THAT(object.leaves("framed"), ElementsAre("jcc@8", "ret@10"));
}

TEST(FunctionCode, JumpsToTheOwnFirstInstruction) {
  Object object(function("loop", "dec %edi; jg loop; je 1f; jmp loop; 1: ret") + function("calls", "call calls; ret") +
                function("long_loop", "dec %edi; .fill 300, 1, 0x90; jg long_loop; ret"));
  EXPECT_THAT(object.leaves("loop"), ElementsAre("ret@8"));
  EXPECT_THAT(object.reenters("loop"), ElementsAre("again-if@2", "again@6"));
  EXPECT_THAT(object.reenters("calls"), IsEmpty());
  EXPECT_THAT(object.reenters("long_loop"), ElementsAre("again-if@302"));
}

TEST(FunctionCode, WhatNeverReturns) {
  Object object(function("spins", "1: nop; jmp 1b") + function("dies", "ud2") + function("falls", "inc %eax") +
                function("next", "ret"));
  EXPECT_EQ(object.read("spins").endless, "it never returns");
  EXPECT_EQ(object.read("dies").endless, "it never returns");
  EXPECT_EQ(object.read("falls").endless, "it runs on into the code behind it");
  EXPECT_THAT(object.read("falls").instructions, SizeIs(1));
  EXPECT_EQ(object.read("next").endless, "");
}

TEST(FunctionCode, CodeThatIsNotWhatItSeems) {
  Object object(function("overlaps", "jmp 1f+1; 1: .byte 0xb8; ret; nop; nop; nop") +
                function("data", "ret; .byte 0x06, 0x06") + function("cut", "ret; .byte 0xe8, 0"));
  EXPECT_EQ(object.read("overlaps").broken, "the branch at 0x0 leads into the middle of an instruction");
  EXPECT_THAT(object.read("overlaps").leaves, IsEmpty());
  EXPECT_THAT(object.read("overlaps").instructions, IsEmpty());
  EXPECT_EQ(object.read("data").broken, "the bytes at 0x1 are no instruction");
  EXPECT_EQ(object.read("cut").broken, "the bytes at 0x1 are no instruction");
}

/// glibc skips the prefix this way in a single-threaded process: both paths do the same and end at the same place.
TEST(FunctionCode, AJumpBehindALockPrefix) {
  Object object(function("adds", "test %edi,%edi; je 1f; lock; 1: incl (%rsi); ret"));
  EXPECT_THAT(object.leaves("adds"), ElementsAre("ret@7"));
  EXPECT_THAT(object.read("adds").instructions, ElementsAre(0, 2, 7));  // an int3 after the prefix would kill
}

TEST(FunctionCode, ColdParts) {
  const std::string source =
      ".section .text.unlikely,\"ax\"\nwork.cold:\n.cfi_startproc\n.cfi_def_cfa_offset 16\nnop; je back; ret; jmp "
      "elsewhere\n"
      ".cfi_endproc\n.size work.cold, .-work.cold\n.type work.cold,@function\n.text\n" +
      function("elsewhere", "ret") +
      function("work",
               "push %rbx; .cfi_adjust_cfa_offset 8; test %edi,%edi; je work.cold; back: pop %rbx; "
               ".cfi_adjust_cfa_offset -8; ret");
  for (bool strip : {false, true}) {
    Object object(source, "cc -x assembler -nostdlib -shared", strip);
    const FunctionCode work = object.read("work");
    EXPECT_EQ(work.broken, "");
    ASSERT_THAT(work.leaves, SizeIs(2)) << strip;  // its ret, and that of the cold part
    const auto far = static_cast<int32_t>(object.address("work") - object.address("elsewhere"));
    EXPECT_GT(far, 0);
    for (const CodePlace& place : work.leaves) {
      EXPECT_EQ(place.leave.how, SONDE_LEAVE_RETURN);
      EXPECT_LT(place.leave.parts[1].from, place.leave.parts[1].to);
    }
    EXPECT_THAT(work.instructions, SizeIs(5));
  }
}

/// A dispatch that stays inside the function must not stop the thread each time. The code has no frame, as an
/// interpreter's loop may have none.
TEST(FunctionCode, JumpTables) {
  const std::string cases = "1: ret; 2: ret; 3: ret; ";
  const auto offsets = [](const std::string& name, const std::string& last) {
    return ".section .rodata; .balign 4; " + name + ": .long 1b-" + name + ", 2b-" + name + ", " + last + "-" + name +
           "; .text\n";
  };
  const auto dispatch = [](const std::string& table, const std::string& bound) {
    return bound + "lea " + table +
           "(%rip),%rdx; mov %edi,%edi; movslq (%rdx,%rdi,4),%rax; add %rdx,%rax; notrack jmp *%rax; ";
  };
  const std::string checked = "cmp $2,%edi; ja 3f; ";
  Object object(".hidden other, again\n" + function("other", "ret") +
                function("known", dispatch("t1", checked) + cases) + offsets("t1", "3b") +
                function("outside", dispatch("t2", checked) + cases) + offsets("t2", "other") +
                function("again", dispatch("t3", checked) + cases) + offsets("t3", "again") +
                function("unbounded", dispatch("t4", "") + cases) + offsets("t4", "3b") +
                function("masked", dispatch("t5", "and $1,%edi; ") + cases) + offsets("t5", "other") +
                function("joined", checked + "0: " + dispatch("t6", "") + cases + "jmp 0b") + offsets("t6", "3b") +
                function("pointers", checked + "lea t7(%rip),%rdx; mov %edi,%edi; jmp *(%rdx,%rdi,8); " + cases) +
                ".section .data.rel.ro,\"aw\"; .balign 8; t7: .quad 1b, 2b, 3b; .text\n" +
                function("writable", checked + "lea t8(%rip),%rdx; mov %edi,%edi; jmp *(%rdx,%rdi,8); " + cases) +
                ".data; .balign 8; t8: .quad 1b, 2b, 3b; .text\n" +
                function("loaded", "cmpl $2,8(%rsi); ja 3f; mov 8(%rsi),%edi; " + dispatch("t9", "") + cases) +
                offsets("t9", "3b"));
  const auto operands = [&](const char* name) {
    const FunctionCode code = object.read(name);
    EXPECT_EQ(code.broken, "") << name;
    return std::ranges::count(code.leaves, SONDE_LEAVE_JUMP_OPERAND,
                              [](const CodePlace& place) { return place.leave.how; });
  };
  for (const char* name : {"known", "masked", "pointers", "loaded"}) EXPECT_EQ(operands(name), 0) << name;
  for (const char* name : {"outside", "again", "unbounded", "joined", "writable"}) EXPECT_EQ(operands(name), 1) << name;
}

/// An exception table with one call site and its landing pad, both as offsets in the function.
std::string throwing(const std::string& name, const std::string& body, int pad) {
  return ".globl " + name + "\n.type " + name + ",@function\n" + name + ":\n.cfi_startproc\n.cfi_lsda 0x1b, table_" +
         name + "\n" + body + "\n.cfi_endproc\n.size " + name + ", .-" + name +
         "\n.section .gcc_except_table,\"a\"; table_" + name + ": .byte 0xff, 0xff, 1, 4, 0, 5, " +
         std::to_string(pad) + ", 0; .text\n";
}

/// An instruction begins where the unwinder enters.
TEST(FunctionCode, LandingPads) {
  const std::string body = "call *%rdi; ret; mov $1,%eax; ret";
  Object object(throwing("catches", body, 3) + throwing("misread", body, 5) + throwing("without", body, 0));
  EXPECT_EQ(object.read("catches").broken, "");
  EXPECT_THAT(object.read("catches").instructions, ElementsAre(0, 2, 3, 8));
  EXPECT_EQ(object.read("misread").broken, "the landing pad at 0x5 is in the middle of an instruction");
  EXPECT_EQ(object.read("without").broken, "");
}

/// Compiler output: a C++ function with cleanups and handlers is left only by its own returns.
TEST(FunctionCode, LandingPadsOfTheCompiler) {
  Object object(
      "struct Held { Held(); ~Held(); };\nint risky(int);\n"
      "extern \"C\" int caught(int x) { Held held; try { return risky(x); } catch (int n) { return n; } }\n",
      "c++ -x c++ -O2 -fPIC -shared");
  const FunctionCode code = object.read("caught");
  EXPECT_EQ(code.broken, "");
  EXPECT_EQ(code.endless, "");
  EXPECT_THAT(code.leaves, Not(IsEmpty()));
  for (const CodePlace& place : code.leaves) EXPECT_EQ(place.leave.how, SONDE_LEAVE_RETURN);
}

/// Compiler output: with the table of a switch, no breakpoint is needed in any code model. A computed goto has no
/// bound, so it gets no breakpoint only if a frame shows that it stays inside, as in an interpreter's loop.
TEST(FunctionCode, TablesOfTheCompiler) {
  const std::string source =
      "int pick(unsigned n, int x) { switch (n) { case 0: return x * 3; case 1: return x + 7; case 2: return x >> 2;\n"
      "case 3: return x ^ 9; case 4: return x % 5; case 5: return -x; case 6: return x << 3; default: return 0; } }\n"
      "extern int slow(int);\n"
      "#define LOOP(name, op) int name(const unsigned char *p, int x) { \\\n"
      "  static const void *const ops[] = {&&add, &&sub, &&twice, &&end}; goto *ops[*p++]; \\\n"
      "  add: x += 1; goto *ops[*p++]; sub: x = op; goto *ops[*p++]; twice: x *= 2; goto *ops[*p++]; end: return x; }\n"
      "LOOP(leaf, x - 1)\nLOOP(loop, slow(x))\n";
  for (const char* how : {"-fPIC -shared", "-fno-pic -no-pie -nostdlib -Wl,--unresolved-symbols=ignore-all,-e,pick",
                          "-fPIC -fcf-protection=full -shared", "-fPIC -O3 -shared"}) {
    Object object(source, std::string("cc -x c -O2 -fno-gcse ") + how);
    const auto operands = [&](const char* name) {
      const FunctionCode code = object.read(name);
      EXPECT_EQ(code.broken, "") << name << ", " << how;
      return std::ranges::count(code.leaves, SONDE_LEAVE_JUMP_OPERAND,
                                [](const CodePlace& place) { return place.leave.how; });
    };
    EXPECT_EQ(operands("pick"), 0) << how;
    EXPECT_GT(operands("leaf"), 0) << how;
    EXPECT_EQ(operands("loop"), 0) << how;
  }
}

/// Addresses at which objdump shows an instruction, and those of returns.
struct Dump {
  std::set<uint64_t> begins, returns;
};

Dump objdump(const std::string& path) {
  Dump dump;
  FILE* lines = popen(("objdump -d -w --no-show-raw-insn " + path).c_str(), "r");
  char line[512];
  while (std::fgets(line, sizeof line, lines) != nullptr) {
    uint64_t address = 0;
    int text_at = 0;
    if (std::sscanf(line, " %lx:\t%n", &address, &text_at) != 1 || text_at == 0) continue;
    dump.begins.insert(address);
    std::string_view text = line + text_at;
    for (std::string_view prefix : {"repz ", "bnd "}) {
      if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
    }
    if (text.starts_with("ret")) dump.returns.insert(address);
    // Two instructions, the first of them fwait, which objdump shows as one.
    for (std::string_view waits : {"fstcw", "fstsw", "fstenv", "fsave", "finit", "fclex"}) {
      if (text.starts_with(waits)) dump.begins.insert(address + 1);
    }
  }
  pclose(lines);
  return dump;
}

/// Compares with objdump on real libraries, function by function: the same instructions, the same returns.
TEST(FunctionCode, AgreesWithObjdump) {
  if (std::system("objdump --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no objdump: binutils";
  for (const char* name : {"libm.so.6", "libz.so.1", "libstdc++.so.6"}) {
    void* loaded = dlopen(name, RTLD_LAZY);
    link_map* map = nullptr;
    ASSERT_TRUE(loaded != nullptr && dlinfo(loaded, RTLD_DI_LINKMAP, &map) == 0) << name;
    const auto file = *ElfFile::open(map->l_name);
    const auto code = *ElfCode::open(map->l_name);
    const Dump dump = objdump(map->l_name);
    ASSERT_GT(dump.begins.size(), 10'000u) << name;
    FunctionReader reader(*file, *code);
    size_t compared = 0, returns = 0;
    for (const ElfFunction& function : file->functions()) {
      const FunctionCode read = reader.read(function);
      if (!read.broken.empty() || read.size == 0) continue;
      const auto in = [&](const std::set<uint64_t>& all) {
        std::vector<uint64_t> found;
        for (auto at = all.lower_bound(function.address); at != all.end() && *at < function.address + read.size; ++at)
          found.push_back(*at - function.address);
        return found;
      };
      const std::vector<uint64_t> instructions(read.instructions.begin(), read.instructions.end());
      ASSERT_EQ(instructions, in(dump.begins)) << name << ": " << function.name;
      std::vector<uint64_t> left;
      for (const CodePlace& place : read.leaves) {
        const uint64_t offset = place.offset - function.offset;
        if (place.leave.how == SONDE_LEAVE_RETURN && offset < read.size) left.push_back(offset);
      }
      ASSERT_EQ(left, in(dump.returns)) << name << ": " << function.name;
      compared++;
      returns += left.size();
    }
    EXPECT_GT(compared, file->functions().size() / 2) << name;
    EXPECT_GT(returns, compared / 2) << name;
    dlclose(loaded);
  }
}

TEST(FunctionCode, AFunctionWithoutASizeEndsWhereItsBranchesDo) {
  Object object(
      ".globl sizeless\n.type sizeless,@function\nsizeless: test %edi,%edi; je 1f; ret; 1: inc %eax; ret\n nop; ret\n"
      ".globl hidden\n.type hidden,@function\nhidden: jmp *%rax; ret\n");
  EXPECT_THAT(object.leaves("sizeless"), ElementsAre("ret@4", "ret@7"));
  EXPECT_EQ(object.read("hidden").broken,
            "where it ends is not known: it has neither a size nor call frame information");
}

}  // namespace
}  // namespace sonde
