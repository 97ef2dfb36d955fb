// SPDX-License-Identifier: GPL-3.0-or-later
// Runs fire parts in the kernel, by BPF_PROG_TEST_RUN, in this very thread
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/procfs.h"
#include "runtime/bpf/bpf_call.h"
#include "runtime/bpf/hook_program.h"
#include "runtime/bpf/rings.h"
#include "runtime/bpf/run_times.h"
#include "runtime/bpf/tracepoint_link.h"
#include "runtime/buffer/ring.h"
#include "tests/kmod/shared/dif_support.h"

namespace sonde::bpf {

constexpr uint32_t kProbe = 7, kFirstEpid = 9;

/// What all programs of a test share. Null: `why_not`, as for who is not root.
class Kernel {
 public:
  static std::unique_ptr<Kernel> create(std::string& why_not, uint64_t ring_bytes = 1u << 20) {
    auto layout = KernelLayout::read();
    if (!layout) return why_not = layout.error().message(), nullptr;
    auto rings = Rings::create(ring_bytes);
    if (!rings) return why_not = rings.error().message(), nullptr;
    auto threads = create_thread_map("threads", SONDE_DIF_THREAD);
    if (!threads) return why_not = threads.error().message(), nullptr;
    auto times = RunTimes::begin(*layout);
    if (!times) return why_not = times.error().message(), nullptr;
    auto kernel = std::unique_ptr<Kernel>(
        new Kernel(std::move(*layout), std::move(*rings), std::move(*threads), std::move(*times)));
    for (const MappedRing& ring : kernel->rings_.mapped()) {
      std::memset(reinterpret_cast<char*>(ring.get()) + SONDE_RING_DATA, 0xa5,
                  ring.data_bytes());  // nothing is 0 by chance
      kernel->reader_.add(ring);
    }
    return kernel;
  }

  struct Run {
    std::string error;                           ///< of the kernel's verifier, or of building
    std::vector<std::vector<uint64_t>> records;  ///< their bytes, in order
    uint64_t drops = 0;
  };

  /// Runs these fire parts once, at a call of that number; an Exit hook sees SYS_bpf.
  Run run(Hook hook, const std::vector<FirePart>& fires, uint32_t number, uint64_t second, uint64_t third) {
    Run result;
    auto program = load(hook, fires, hook == Hook::Exit ? SYS_bpf : number, result.error);
    if (!program) return result;
    const uint64_t arguments[] = {0, second};
    bpf_attr attributes{};
    attributes.test.prog_fd = static_cast<uint32_t>(program->get());
    attributes.test.ctx_in = reinterpret_cast<uintptr_t>(arguments);
    attributes.test.ctx_size_in = sizeof arguments;
    attributes_at = reinterpret_cast<uintptr_t>(&attributes);
    if (syscall(SYS_bpf, BPF_PROG_TEST_RUN, &attributes, sizeof attributes, third, third + 1, third + 2) != 0)
      result.error = std::strerror(errno);
    drain(result);
    return result;
  }

  /// Of a system call, by its number.
  std::optional<UniqueFd> load(Hook hook, const std::vector<FirePart>& fires, uint32_t number, std::string& error) {
    const sonde_tap_kind kind = hook == Hook::Exit ? SONDE_TAP_SYSCALL_RETURN : SONDE_TAP_SYSCALL_ENTRY;
    return load_sections(hook, {{kind, number, fires}}, error);
  }

  /// The first fire part of each section has kFirstEpid, and so on.
  std::optional<UniqueFd> load_sections(Hook hook, const std::vector<Section>& sections, std::string& error) {
    size_t columns = 0;
    for (const Section& section : sections) columns = std::max(columns, section.columns.size());
    const auto rows = kCalls + static_cast<uint32_t>(sections.size());
    auto table = create_map("table", {BPF_MAP_TYPE_ARRAY, 4, row_bytes(columns), rows, 0});
    if (!table) return error = table.error().message(), std::nullopt;
    auto deaths = create_map("deaths", {BPF_MAP_TYPE_LRU_HASH, 16, 8, 64, 0});
    if (!deaths) return error = deaths.error().message(), std::nullopt;
    for (const Section& section : sections) {
      std::vector<uint32_t> row(row_bytes(columns) / 4);
      row[0] = kProbe;
      for (uint32_t n = 0; n < section.columns.size(); n++) row[1 + n] = kFirstEpid + n;
      if (auto done = update_map(table->get(), &section.row, row.data()); !done)
        return error = done.error().message(), std::nullopt;
    }
    World world{&layout_, &rings_, threads_.get(), 0, deaths->get()};
    world.words_map = run_times_.words();
    world.last_read_map = run_times_.last_read();
    world.link = link;
    auto insns = build_hook({hook, sections, table->get(), 0}, world);
    if (!insns) return error = insns.error().message(), std::nullopt;
    instructions = insns->size();
    auto program = load_program("test", *insns, program_type(link));
    if (!program) return error = program.error().message(), std::nullopt;
    return std::move(*program);
  }

  void drain(Run& result) {
    reader_.drain(0, true, [&](const sonde_record& record) {
      const auto* words = reinterpret_cast<const uint64_t*>(&record);
      result.records.emplace_back(words, words + record.size / 8);
    });
    for (const RingDrops& one : reader_.take_drops()) result.drops += one.drops;
    for (const Error& error : reader_.take_errors()) result.error += error.message();
  }

  const Rings& rings() const { return rings_; }
  std::vector<FoldTables>& folded() { return rings_.folded(); }
  int threads() const { return threads_.get(); }
  int last_read() const { return run_times_.last_read(); }  ///< the word of each thread
  TracepointLink link = TracepointLink::Raw;  ///< of the programs that are loaded; only Raw ones can be run()
  uint64_t attributes_at = 0;                 ///< the second argument of the last call
  size_t instructions = 0;

 private:
  Kernel(KernelLayout layout, Rings rings, UniqueFd threads, RunTimes run_times)
      : layout_(std::move(layout)),
        rings_(std::move(rings)),
        threads_(std::move(threads)),
        run_times_(std::move(run_times)) {}

  KernelLayout layout_;
  Rings rings_;
  UniqueFd threads_;
  RunTimes run_times_;
  MergeReader reader_;
};

/// Whether this process has memory there.
inline bool is_mapped(uint64_t address) {
  char byte;
  const iovec here{&byte, 1}, there{reinterpret_cast<void*>(address), 1};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1;
}

/// This thread, as the interpreter sees it: memory that is there and a page behind it that is not.
struct OwnThread : test::FakeThread {
  static constexpr size_t kBytes = 1u << 16;
  char* memory_at;
  bool strayed = false;  ///< a program has looked at memory of the test itself, of which the interpreter knows nothing

  OwnThread() {
    memory_at = static_cast<char*>(mmap(reinterpret_cast<void*>(kBase), kBytes + 4096, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE | MAP_FIXED_NOREPLACE, -1, 0));
    mprotect(memory_at + kBytes, 4096, PROT_NONE);
    mlock(memory_at, kBytes);
    memory.resize(kBytes);
  }
  ~OwnThread() { munmap(memory_at, kBytes + 4096); }
  OwnThread(const OwnThread&) = delete;
  OwnThread& operator=(const OwnThread&) = delete;

  /// Makes what the kernel sees what the interpreter sees.
  void publish() {
    memory.back() = '\0';
    std::memcpy(memory_at, memory.data(), kBytes);
    prctl(PR_SET_NAME, execname.c_str());
  }
};

/// fake_env(), which notes who strays.
inline const sonde_dif_env& own_env() {
  static const sonde_dif_env env = [] {
    sonde_dif_env own = test::fake_env();
    own.descends = [](void*, uint64_t pid) {
      return uint64_t{has_ancestor(static_cast<uint32_t>(getpid()), pid, SONDE_DIF_ANCESTORS + 1)};
    };
    own.read_user = [](void* thread, uint64_t address, void* to, uint32_t length) {
      const int read = test::fake_env().read_user(thread, address, to, length);
      auto& one = *static_cast<OwnThread*>(static_cast<test::FakeThread*>(thread));
      if (read < 0 && (is_mapped(address) || is_mapped(address + length - 1))) one.strayed = true;
      return read;
    };
    own.read_text = [](void* thread, uint64_t address, char* to, uint32_t max) {
      const int read = test::fake_env().read_text(thread, address, to, max);
      if (read < 0 && is_mapped(address))
        static_cast<OwnThread*>(static_cast<test::FakeThread*>(thread))->strayed = true;
      return read;
    };
    return own;
  }();
  return env;
}

}  // namespace sonde::bpf
