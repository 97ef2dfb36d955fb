// SPDX-License-Identifier: GPL-3.0-or-later
// Reads frame information from memory: here from our own, intact and damaged.
#include "runtime/guard/cfi.h"

#include <elf.h>
#include <execinfo.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "runtime/guard/unwind.h"

namespace sonde::guard {
namespace {

/// Reads our own memory; the kernel refuses an address that is not mapped. Sanitizers do not check this access.
bool read_own(uint64_t address, void* to, size_t length) {
  iovec here{to, length}, there{reinterpret_cast<void*>(address), length};
  return syscall(SYS_process_vm_readv, getpid(), &here, 1UL, &there, 1UL, 0UL) == static_cast<ssize_t>(length);
}

FrameRegisters registers_of(const ucontext_t& context) {
  const greg_t* r = context.uc_mcontext.gregs;
  FrameRegisters out{};
  const int order[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
                       REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
  for (uint32_t i = 0; i < SONDE_CFI_REGISTERS; i++) out[i] = static_cast<uint64_t>(r[order[i]]);
  return out;
}

struct Walked {
  std::vector<uint64_t> ours, theirs;
};

__attribute__((noinline)) void walk_here(Walked& walked) {
  ucontext_t context;
  getcontext(&context);
  uint64_t frames[64];
  Unwinder unwinder(getpid());
  const uint32_t count = unwinder.walk(registers_of(context), false, read_own, frames, 64);
  walked.ours.assign(frames, frames + count);
  void* addresses[64];
  const int found = backtrace(addresses, 64);
  for (int i = 0; i < found; i++) walked.theirs.push_back(reinterpret_cast<uint64_t>(addresses[i]));
}

__attribute__((noinline)) int recurse(int depth, Walked& walked) {
  if (depth == 0) {
    walk_here(walked);
    return 1;
  }
  volatile int kept = depth;
  return recurse(depth - 1, walked) + kept;
}

TEST(Cfi, FindsTheFramesThatTheCompilersRuntimeFinds) {
  Walked walked;
  recurse(5, walked);
  ASSERT_GE(walked.theirs.size(), 8u);
  ASSERT_GE(walked.ours.size(), 8u);
  // The first frames differ: walk_here() is at another instruction, and sanitizers add a frame of their own. The frames
  // above must agree.
  auto at = std::ranges::find(walked.theirs, walked.ours[1]);
  ASSERT_NE(at, walked.theirs.end());
  EXPECT_EQ(std::vector<uint64_t>(at, walked.theirs.end()),
            std::vector<uint64_t>(walked.ours.begin() + 1, walked.ours.end()));
}

TEST(Cfi, ARowCountsItsFrames) {
  Walked walked;
  recurse(0, walked);
  uint64_t frames[1];
  ucontext_t context;
  getcontext(&context);
  Unwinder unwinder(getpid());
  EXPECT_EQ(unwinder.walk(registers_of(context), false, read_own, frames, 1), 1u);
  EXPECT_EQ(unwinder.walk(registers_of(context), false, read_own, frames, 0), 0u);
}

TEST(Cfi, AProcessThatIsGoneHasOneFrame) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  Unwinder unwinder(child);
  uint64_t frames[8];
  const ReadMemory nothing = [](uint64_t, void*, size_t) { return false; };
  FrameRegisters registers{};
  registers[SONDE_CFI_PC] = 0x1234;
  EXPECT_EQ(unwinder.walk(registers, true, nothing, frames, 8), 1u);
  EXPECT_EQ(frames[0], 0x1234u);
}

/// How often a walk reads memory: the first and the second walk of a thread.
void count_reads(std::pair<int, int>& reads) {
  for (int* count : {&reads.first, &reads.second}) {
    const ReadMemory read = [count](uint64_t address, void* to, size_t length) {
      ++*count;
      return read_own(address, to, length);
    };
    ucontext_t context;
    getcontext(&context);
    uint64_t frames[8];
    Unwinder unwinder(getpid());
    EXPECT_GE(unwinder.walk(registers_of(context), false, read, frames, 8), 3u);
  }
}

/// Two tracers, each in a thread of its own, look up rows without a lock, because the tables are kept per thread.
TEST(Cfi, TablesAreKeptByThread) {
  for (int thread = 0; thread < 2; thread++) {
    std::pair<int, int> reads;
    std::thread(count_reads, std::ref(reads)).join();
    EXPECT_LT(reads.second, reads.first) << thread;
  }
}

/// Code that a process maps after its mappings were read, as that of a library at start.
TEST(Cfi, CodeThatIsNewIsFound) {
  Unwinder unwinder(getpid());
  uint64_t frames[8];
  unwinder.walk({}, false, read_own, frames, 8);
  void* code = mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(code, MAP_FAILED);
  const auto pc = reinterpret_cast<uint64_t>(code);
  uint64_t stack[8] = {0, 0, 0, 0, pc + 16, 0, 0, 0};
  stack[3] = reinterpret_cast<uint64_t>(&stack[5]);
  FrameRegisters registers{};
  registers[SONDE_CFI_PC] = pc + 8;
  registers[SONDE_CFI_SP] = reinterpret_cast<uint64_t>(&stack[0]);
  registers[SONDE_CFI_FP] = reinterpret_cast<uint64_t>(&stack[3]);
  EXPECT_EQ(unwinder.walk(registers, false, read_own, frames, 8), 2u);
  EXPECT_EQ(frames[1], pc + 16);
  munmap(code, 4096);
}

/// This program as it is loaded: its read-only segments, in one piece.
struct Image {
  uint64_t base = 0;
  std::vector<uint8_t> bytes;
  size_t header = 0;  ///< offset of .eh_frame_hdr

  bool read(uint64_t address, void* to, size_t length) const {
    if (address < base || address - base > bytes.size() || length > bytes.size() - (address - base)) return false;
    std::memcpy(to, bytes.data() + (address - base), length);
    return true;
  }
};

Image own_image() {
  Image image;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* into) {
        auto& image = *static_cast<Image*>(into);
        uint64_t begin = UINT64_MAX, end = 0, header = 0;
        for (int i = 0; i < info->dlpi_phnum; i++) {
          const ElfW(Phdr)& segment = info->dlpi_phdr[i];
          if (segment.p_type == PT_GNU_EH_FRAME) header = segment.p_vaddr;
          if (segment.p_type == PT_LOAD) begin = std::min<uint64_t>(begin, segment.p_vaddr);
          if (segment.p_type == PT_GNU_EH_FRAME || (segment.p_type == PT_LOAD && !(segment.p_flags & PF_W)))
            end = std::max<uint64_t>(end, segment.p_vaddr + segment.p_memsz);
        }
        image.base = info->dlpi_addr + begin;
        image.header = header - begin;
        end -= begin;
        image.bytes.resize(end);
        for (uint64_t at = 0; at < end; at += 4096)
          read_own(image.base + at, image.bytes.data() + at, std::min<uint64_t>(4096, end - at));
        return 1;  // the program itself is the first object
      },
      &image);
  return image;
}

ReadMemory reader(const Image& image) {
  return [&image](uint64_t address, void* to, size_t length) { return image.read(address, to, length); };
}

TEST(Cfi, HasARowForEachInstructionOfAFunction) {
  const Image image = own_image();
  const auto function = reinterpret_cast<uint64_t>(&recurse);
  auto table = CfiTable::load(image.base, function, reader(image));
  ASSERT_TRUE(table);
  const sonde_cfi_row* row = table->row(image.base, function, reader(image));
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->cfa_register, SONDE_CFI_SP);
  EXPECT_EQ(row->cfa_offset, 8);  // only the return address has been pushed
  EXPECT_EQ(row->kinds[SONDE_CFI_PC], SONDE_CFI_AT_OFFSET);
  EXPECT_EQ(row->offsets[SONDE_CFI_PC], -8);
  EXPECT_EQ(table->row(image.base, image.base + 16, reader(image)), nullptr);  // the ELF header is not code
}

/// A sampled machine has many addresses, and few rows that differ.
TEST(Cfi, AddressesShareTheirRows) {
  const Image image = own_image();
  const auto function = reinterpret_cast<uint64_t>(&recurse);
  auto table = CfiTable::load(image.base, function, reader(image));
  ASSERT_TRUE(table);
  const size_t before = table->bytes();
  std::set<const sonde_cfi_row*> rows;
  constexpr uint64_t kAddresses = 64;
  for (uint64_t i = 0; i < kAddresses; i++) rows.insert(table->row(image.base, function + i, reader(image)));
  EXPECT_GT(rows.size(), 1u);
  EXPECT_LT(rows.size(), 16u);
  EXPECT_EQ(table->row(image.base, function, reader(image))->cfa_offset, 8);
  EXPECT_GE(table->bytes() - before, kAddresses * 2 * sizeof(uint64_t)) << "the budget counts them";
  EXPECT_LT(table->bytes() - before, kAddresses * sizeof(sonde_cfi_row));
}

TEST(Cfi, ATableFitsTheObjectThatItWasReadFrom) {
  Image image = own_image();
  auto table = CfiTable::load(image.base, reinterpret_cast<uint64_t>(&recurse), reader(image));
  ASSERT_TRUE(table);
  EXPECT_TRUE(table->fits(image.base, reader(image)));
  image.bytes[image.header + 8] ^= 1;  // another number of entries: another program in a file with the same number
  EXPECT_FALSE(table->fits(image.base, reader(image)));
  const ReadMemory nothing = [](uint64_t, void*, size_t) { return false; };
  EXPECT_FALSE(table->fits(image.base, nothing));
}

TEST(Cfi, DamagedTablesGiveLessButNeverCrash) {
  Image image = own_image();
  ASSERT_GT(image.bytes.size(), image.header);
  std::mt19937 random(1);
  const auto function = reinterpret_cast<uint64_t>(&recurse);
  for (int round = 0; round < 400; round++) {
    std::vector<std::pair<size_t, uint8_t>> healing;
    const uint32_t damages = 1 + random() % 64;
    for (uint32_t i = 0; i < damages; i++) {
      const size_t tables = image.bytes.size() - image.header;
      const size_t at = round % 8 == 0 ? random() % 1024 : image.header + random() % tables;
      healing.emplace_back(at, image.bytes[at]);
      image.bytes[at] = static_cast<uint8_t>(random());
    }
    auto table = CfiTable::load(image.base, function, reader(image));
    for (int i = 0; table && i < 64; i++) {
      const uint64_t pc = i == 0 ? function : image.base + random() % image.bytes.size();
      const ReadMemory read = reader(image);
      const sonde_cfi_row* row = table->row(image.base, pc, read);
      FrameRegisters registers{};
      for (uint64_t& value : registers) value = image.base + random() % image.bytes.size();
      CfiReader cfi(read);
      if (row != nullptr) sonde_cfi_apply(&cfi, table->header(image.base), row, registers.data());
    }
    for (size_t i = healing.size(); i-- > 0;) image.bytes[healing[i].first] = healing[i].second;
  }
}

}  // namespace
}  // namespace sonde::guard
