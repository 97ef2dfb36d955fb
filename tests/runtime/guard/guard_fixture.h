// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the guard's tests: small DIF programs, the test programs, and a consumer of records
#pragma once

#include <elf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/buffer/ring.h"
#include "runtime/code/function_code.h"
#include "runtime/process/elf_code.h"
#include "runtime/process/elf_file.h"
#include "runtime/source/registry.h"

namespace sonde::test {

using Clock = std::chrono::steady_clock;

/// Builds a DIF program, one instruction after another.
class Dif {
 public:
  Dif& op(sonde_dif_op op, int d = 0, int a = 0, int b = 0, int32_t i = 0) {
    insns_.push_back(
        {static_cast<uint8_t>(op), static_cast<uint8_t>(d), static_cast<uint8_t>(a), static_cast<uint8_t>(b), i});
    return *this;
  }
  Dif& argument(int n) { return op(SONDE_DIF_ARG, 1, 0, 0, n).word(); }
  Dif& variable(sonde_dif_variable v) { return op(SONDE_DIF_VAR, 1, 0, 0, v).word(); }
  Dif& text_of_argument(int n, int max = 256) {
    return op(SONDE_DIF_ARG, 1, 0, 0, n).capture(SONDE_DIF_CAPSTR, SONDE_SLOT_TEXT, max);
  }
  Dif& text(sonde_dif_text which, int operand = 0) {
    return op(SONDE_DIF_LI, 1, 0, 0, operand).capture(SONDE_DIF_CAPTEXT, SONDE_SLOT_TEXT, which);
  }
  Dif& stack(int frames) {
    op(SONDE_DIF_CAPSTACK, static_cast<int>(kinds_.size()), 0, 0, frames);
    kinds_.push_back(SONDE_SLOT_STACK);
    return *this;
  }
  Dif& word() { return capture(SONDE_DIF_CAPW, SONDE_SLOT_WORD, 0); }
  Dif& capture(sonde_dif_op what, uint8_t kind, int32_t i) {
    op(what, static_cast<int>(kinds_.size()), 1, 0, i);
    kinds_.push_back(kind);
    return *this;
  }
  Result<void> load(EventSource& source, uint32_t id) {
    op(SONDE_DIF_RECORD);
    const Loading loading{ProgramId{id},
                          {insns_.data(), static_cast<uint32_t>(insns_.size()), static_cast<uint32_t>(kinds_.size()),
                           nullptr, 0, 0, kinds_.data()}};
    auto loaded = source.load_programs({&loading, 1});
    return loaded ? source.settle() : std::move(loaded);
  }

 private:
  std::vector<sonde_dif_insn> insns_;
  std::vector<uint8_t> kinds_;
};

/// The test programs, compiled once.
class Programs {
 public:
  static const Programs& get() {
    static Programs programs;
    return programs;
  }
  ~Programs() {
    // A program that is still running after a test may still create its file there.
    std::error_code busy;
    for (int tries = 0; getpid() == owner_ && tries < 50; tries++, usleep(20000))
      if (std::filesystem::remove_all(directory, busy); !busy) return;
  }
  std::string target, plugin, directory;

 private:
  pid_t owner_ = getpid();

  Programs() {
    char name[] = "/tmp/sonde_guard_test_XXXXXX";
    directory = mkdtemp(name);
    const std::string sources = std::filesystem::path(SONDE_TESTS_FOLDER) / "runtime/guard/programs";
    target = directory + "/target";
    plugin = directory + "/plugin.so";
    const std::string flags = "cc -O1 -fno-omit-frame-pointer -fcf-protection=branch ";
    EXPECT_EQ(system((flags + sources + "/target.c -o " + target + " -pthread -ldl").c_str()), 0);
    EXPECT_EQ(system((flags + "-shared -fPIC " + sources + "/plugin.c -o " + plugin).c_str()), 0);
  }
};

/// The path of programs/target.c, compiled.
inline const std::string& target() { return Programs::get().target; }

/// A child that executes the target, which works for that many tenths of a second or until SIGUSR2, and exits with 42. Its
/// exec is over when this returns.
inline pid_t start_loop(const char* tenths) {
  const std::string& program = target();  // compiled before the fork: once, not in each child
  int executed[2];
  EXPECT_EQ(pipe2(executed, O_CLOEXEC), 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
    execl(program.c_str(), "target", "loop", tenths, nullptr);
    _exit(127);
  }
  close(executed[1]);
  char nothing;
  EXPECT_EQ(read(executed[0], &nothing, 1), 0);  // the exec closes the other end
  close(executed[0]);
  return child;
}

/// File offset of a function.
inline uint64_t offset_of(const std::string& path, const std::string& function) {
  static std::map<std::string, std::string> images;
  std::string& image = images[path];
  if (image.empty()) {
    image.resize(std::filesystem::file_size(path));
    std::ifstream(path, std::ios::binary).read(image.data(), static_cast<std::streamsize>(image.size()));
  }
  const auto* elf = reinterpret_cast<const Elf64_Ehdr*>(image.data());
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(image.data() + elf->e_shoff);
  const auto* segments = reinterpret_cast<const Elf64_Phdr*>(image.data() + elf->e_phoff);
  for (int s = 0; s < elf->e_shnum; s++) {
    if (sections[s].sh_type != SHT_SYMTAB && sections[s].sh_type != SHT_DYNSYM) continue;
    const auto* symbols = reinterpret_cast<const Elf64_Sym*>(image.data() + sections[s].sh_offset);
    const char* names = image.data() + sections[sections[s].sh_link].sh_offset;
    for (uint64_t i = 0; i < sections[s].sh_size / sizeof(Elf64_Sym); i++) {
      if (names + symbols[i].st_name != function || symbols[i].st_value == 0) continue;
      for (int p = 0; p < elf->e_phnum; p++) {
        const Elf64_Phdr& segment = segments[p];
        if (segment.p_type == PT_LOAD && symbols[i].st_value - segment.p_vaddr < segment.p_filesz) {
          return symbols[i].st_value - segment.p_vaddr + segment.p_offset;
        }
      }
    }
  }
  ADD_FAILURE() << function << " not found in " << path;
  return 0;
}

/// The taps of one probe on a function: for its return, one on each instruction that leaves it.
inline std::vector<Tap> taps_on(uint32_t probe, sonde_tap_kind kind, const std::string& path, const std::string& name,
                                uint32_t pid = 0) {
  const uint64_t entry = offset_of(path, name);
  if (kind != SONDE_TAP_USER_RETURN) return {{{}, kind, ProbeId{probe}, 0, pid, path, entry, entry, {}}};
  auto file = ElfFile::open(path);
  auto code = ElfCode::open(path);
  const ElfFunction* function = file ? (*file)->find(name) : nullptr;
  std::vector<Tap> taps;
  if (function == nullptr || !code) return ADD_FAILURE() << name << " of " << path, taps;
  for (const CodePlace& place : FunctionReader(**file, **code).read(*function).leaves)
    taps.push_back({{}, kind, ProbeId{probe}, 0, pid, path, place.offset, function->offset, place.leave});
  EXPECT_FALSE(taps.empty()) << name;
  return taps;
}

struct Record {
  uint32_t epid, probe, pid, tid, sequence;
  uint16_t flags;
  uint64_t timestamp, faults;
  std::vector<uint64_t> words;
  std::vector<std::string> texts;  ///< by slot; empty for words
};

/// Maximal run time of a traced program, in milliseconds.
inline constexpr int kPatienceMs = 60000;

/// A source with its one ring, and the records and events that it delivered.
class Consumer {
 public:
  explicit Consumer(uint64_t ring_bytes = 4 << 20) {
    auto made = open_ptrace_source({});
    EXPECT_TRUE(made) << made.error().message();
    source = std::move(*made);
    EXPECT_TRUE(source->create_buffers(ring_bytes));
  }

  void enable(uint32_t probe, Dif&& dif, bool held = false) { enable(probe, dif, held); }
  void enable(uint32_t probe, Dif& dif, bool held = false) {
    auto loaded = dif.load(*source, probe);
    ASSERT_TRUE(loaded) << loaded.error().message();
    const Ecb ecb{Epid{probe}, ProbeId{probe}, ProgramId{probe}, held};
    auto added = source->add_ecbs({&ecb, 1});
    ASSERT_TRUE(added) << added.error().message();
    auto settled = source->settle();  // before a spawn: its answer is the next
    ASSERT_TRUE(settled) << settled.error().message();
  }
  void tap(Tap tap) {
    tap.id = TapId{++taps_};
    auto armed = source->arm({&tap, 1});
    ASSERT_TRUE(armed) << armed.error().message();
  }
  void tap_call(uint32_t probe, uint32_t number, sonde_tap_kind kind = SONDE_TAP_SYSCALL_ENTRY) {
    tap({{}, kind, ProbeId{probe}, number, 0, "", 0, 0, {}});
  }
  void tap_kind(uint32_t probe, sonde_tap_kind kind) { tap({{}, kind, ProbeId{probe}, 0, 0, "", 0, 0, {}}); }
  void tap_function(uint32_t probe, sonde_tap_kind kind, const std::string& path, const std::string& name,
                    uint32_t pid = 0) {
    for (Tap& made : taps_on(probe, kind, path, name, pid)) tap(std::move(made));
  }

  uint32_t spawn(std::vector<std::string> argv, std::vector<uint32_t> calls = {}, bool filter = false) {
    output_ = Programs::get().directory + "/out" + std::to_string(++outputs_) + "." + std::to_string(getpid());
    std::string command = "exec \"$@\" >" + output_;
    std::vector<std::string> shell = {"/bin/sh", "-c", command, "sh"};
    shell.insert(shell.end(), argv.begin(), argv.end());
    SpawnRequest request{through_shell ? shell : argv, {}, filter, calls};
    auto pid = source->targets()->spawn(request);
    EXPECT_TRUE(pid) << pid.error().message();
    return pid ? *pid : 0;
  }

  /// Waits until this many records have come, at most a minute.
  void wait_for_records(size_t wanted) {
    for (const auto end = Clock::now() + std::chrono::seconds(60); records.size() < wanted && Clock::now() < end;) {
      usleep(1000);
      drain(true);
    }
  }
  /// Reads records until nothing is traced any more, or the time is over.
  void run(int patience_ms = kPatienceMs) {
    auto gone = source->targets()->go();
    ASSERT_TRUE(gone) << gone.error().message();
    const auto end = Clock::now() + std::chrono::milliseconds(patience_ms);
    while (!all_gone && Clock::now() < end) {
      pollfd entry{source->event_fd(), POLLIN, 0};
      poll(&entry, 1, 5);
      if (!events()) break;
      drain(false);
    }
    EXPECT_TRUE(all_gone || died);
    drain(true);
  }
  bool events() {
    for (;;) {
      auto event = source->next_event();
      if (!event) {
        died = true;
        return false;
      }
      if (!*event) return true;
      if (std::holds_alternative<AllGone>(**event)) all_gone = true;
      if (const auto* gone = std::get_if<TargetGone>(&**event))
        status[gone->pid] = static_cast<uint64_t>(gone->wait_status);
      seen.push_back(**event);
    }
  }
  void drain(bool all) {
    if (!reader_) reader_.emplace(source->mapped_rings()[0]);
    reader_->refresh();
    reader_->drain(UINT64_MAX, all, [this](const sonde_record& record) { take(record); });
  }
  std::string output() const {
    std::ifstream file(output_);
    return std::string((std::istreambuf_iterator<char>(file)), {});
  }
  /// The guard's notices for the user, one per line.
  std::string notices() const {
    std::string text;
    for (const SourceEvent& event : seen)
      if (const auto* notice = std::get_if<Notice>(&event)) text += notice->text + "\n";
    return text;
  }
  size_t count(uint32_t probe) const {
    auto found = counts.find(probe);
    return found == counts.end() ? 0 : found->second;
  }

  std::unique_ptr<EventSource> source;
  std::vector<Record> records;
  std::map<uint32_t, size_t> counts;
  std::map<uint32_t, uint64_t> status;
  std::vector<SourceEvent> seen;
  std::function<void(const sonde_record&)> on_record;
  bool all_gone = false, died = false, through_shell = false;
  size_t keep = 100000;

 private:
  void take(const sonde_record& record) {
    counts[record.probe]++;
    if (on_record) on_record(record);
    if (records.size() >= keep) return;
    Record copy{record.epid,  record.probe,     record.pid,    record.tid, record.sequence,
                record.flags, record.timestamp, record.faults, {},         {}};
    for (unsigned i = 0; i < record.slots; i++) {
      copy.words.push_back(record.slot[i]);
      const uint64_t offset = SONDE_SPAN_OFFSET(record.slot[i]), length = SONDE_SPAN_LENGTH(record.slot[i]);
      const bool span = offset >= sizeof record && offset + length <= record.size;
      copy.texts.push_back(span ? std::string(reinterpret_cast<const char*>(&record) + offset, length) : "");
    }
    records.push_back(std::move(copy));
  }

  std::optional<RingReader> reader_;
  std::string output_;
  uint32_t taps_ = 0;
  int outputs_ = 0;
};

/// The guards of this test: a guard stays in its consumer's process group, so we create one for ourselves.
inline std::set<pid_t> guards() {
  static const bool alone = setpgid(0, 0) == 0 || getpgid(0) == getpid();
  EXPECT_TRUE(alone);
  std::set<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t pid = atoi(entry.path().filename().c_str());
    if (pid <= 0 || getpgid(pid) != getpgid(0)) continue;
    std::ifstream status(entry.path() / "status");
    std::string text;
    for (std::string line; std::getline(status, line);) text += line + "\n";  // no error if the process ends
    const bool ended = text.find("\nState:\tZ") != std::string::npos || text.find("\nState:\tX") != std::string::npos;
    if (text.starts_with("Name:\tsonde-guard\n") && !ended) found.insert(pid);
  }
  return found;
}

}  // namespace sonde::test
