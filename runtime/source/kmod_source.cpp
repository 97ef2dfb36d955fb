// SPDX-License-Identifier: GPL-3.0-or-later
// The kmod source: the client of /dev/sonde
//
//   this process                                   the kernel module
//     KmodSource    --- SONDE_EXCHANGE (ioctl) ->  session, taps
//                   <-- read(): events ----------
//     MappedRing    <======= mmap, one a CPU ===>  writers
//
// The module only watches; what needs a hand on a process is done here. A spawned program is our child: ptrace holds
// it behind its exec (the return of the exec included) until go(), and is not used any more after that. Should this
// process die, the kernel lets the program go. Targets of attach() are never stopped: they run on, and the module
// keeps silent until go().
#include "runtime/source/kmod_source.h"

#include <elf.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <map>

#include "runtime/base/unique_fd.h"
#include "runtime/buffer/mapped_ring.h"
#include "runtime/guard/protocol.h"

namespace sonde {
namespace {

constexpr size_t kTapsAtOnce = 4096;
constexpr size_t kRingsMax = 8192;
constexpr size_t kEventRoom = sizeof(sonde_event) + SONDE_PATH_MAX;
constexpr int kReapTurns = 1000;  // of a millisecond
constexpr uintptr_t kTraceOptions = PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD;

template <typename T>
ByteSpan array_bytes(std::span<const T> array) {
  return {reinterpret_cast<const uint8_t*>(array.data()), array.size_bytes()};
}

bool trace(int request, pid_t pid, uintptr_t address = 0, uintptr_t data = 0) {
  return ptrace(static_cast<__ptrace_request>(request), pid, address, data) == 0;
}

/// Waits for a child's next change. False: it has ended.
bool await_stop(pid_t pid, int& status) {
  while (waitpid(pid, &status, __WALL) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFSTOPPED(status);
}

/// The signal that a stop stands before, to be passed on; 0 for ptrace's own stops.
int signal_of(int status) { return status >> 16 == 0 && WSTOPSIG(status) != SIGTRAP ? WSTOPSIG(status) : 0; }

void quiet_signals() {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  for (int signal = 1; signal <= SIGRTMAX; signal++) {
    struct sigaction present {};
    if (sigaction(signal, nullptr, &present) == 0 && present.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// The child's side of spawn(): waits for the tracer, then runs the program.
[[noreturn]] void become(char* const* argv, char* const* environment, int go, int failure) {
  quiet_signals();
  char byte;
  ssize_t got;
  do got = read(go, &byte, 1);
  while (got < 0 && errno == EINTR);
  if (got != 1) _exit(127);
  execvpe(argv[0], argv, environment);
  const int code = errno;
  if (write(failure, &code, sizeof code) < 0) _exit(126);
  _exit(127);
}

Result<uint64_t> entry_point(pid_t pid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/auxv";
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return Error::from_errno(path);
  Elf64_auxv_t entry;
  while (read(fd.get(), &entry, sizeof entry) == static_cast<ssize_t>(sizeof entry)) {
    if (entry.a_type == AT_ENTRY) return static_cast<uint64_t>(entry.a_un.a_val);
  }
  return Error(path + ": no entry point", ENOEXEC);
}

class KmodSource final : public EventSource {
 public:
  explicit KmodSource(UniqueFd device) : device_(std::move(device)) {}
  ~KmodSource() override;

  Result<void> begin();

  std::string_view name() const override { return "kmod"; }
  Result<void> create_buffers(uint64_t bytes) override;
  std::span<sonde_ring* const> rings() override { return rings_; }
  std::span<const MappedRing> mapped_rings() override { return mapped_; }
  Result<void> load_program(ProgramId id, const sonde_dif_program& program) override;
  Result<void> add_ecbs(std::span<const Ecb> ecbs) override;
  Result<void> remove_ecbs(std::span<const Epid> epids) override;
  Result<void> arm(std::span<const Tap> taps) override;
  Result<void> disarm(std::span<const TapId> taps) override;
  Result<uint32_t> spawn(const SpawnRequest& request) override;
  Result<void> attach(uint32_t pid) override;
  Result<void> run_to_entry(uint32_t pid) override;
  Result<void> go() override;
  Result<void> hold(uint32_t pid) override { return stop_or_continue(pid, SIGSTOP); }
  Result<void> resume(uint32_t pid) override { return stop_or_continue(pid, SIGCONT); }
  Result<void> detach(uint32_t pid) override;
  Result<void> read_memory(uint32_t pid, uint64_t address, std::span<uint8_t> to) override;
  Result<void> write_memory(uint32_t pid, uint64_t address, std::span<const uint8_t> from) override;
  Result<void> release(uint32_t tid, Release how) override;
  int event_fd() const override { return device_.get(); }
  Result<std::optional<SourceEvent>> next_event() override;
  Result<sonde_statistics> statistics() override;

 private:
  /// Where a spawned child stands.
  enum class Child { Held, Going };

  Result<uint64_t> transact(sonde_request request, ByteSpan payload = {}, std::span<uint8_t> answer = {});
  Result<void> simple(sonde_request_kind kind, uint64_t value, uint32_t id = 0, ByteSpan payload = {});
  Result<void> hold_after_exec(pid_t pid, const std::string& name, int failure);
  Result<void> run_to(pid_t pid, uint64_t address);
  Result<void> stop_or_continue(uint32_t pid, int signal);
  void let_go(pid_t pid);
  void reap(pid_t pid);

  UniqueFd device_;
  std::vector<MappedRing> mapped_;
  std::vector<sonde_ring*> rings_;
  std::map<pid_t, Child> children_;
};

KmodSource::~KmodSource() {
  for (const auto& [pid, state] : children_) {
    if (state == Child::Held) let_go(pid);
    waitpid(pid, nullptr, WNOHANG);
  }
}

Result<uint64_t> KmodSource::transact(sonde_request request, ByteSpan payload, std::span<uint8_t> answer) {
  request.length = payload.size();
  sonde_exchange exchange{};
  exchange.request = request;
  exchange.payload = reinterpret_cast<uintptr_t>(payload.data());
  exchange.answer = reinterpret_cast<uintptr_t>(answer.data());
  exchange.room = answer.size();
  int result;
  do result = ioctl(device_.get(), SONDE_EXCHANGE, &exchange);
  while (result != 0 && errno == EINTR);
  if (result == 0) return exchange.reply.value;
  const int code = errno;
  exchange.reply.why[sizeof exchange.reply.why - 1] = '\0';
  if (exchange.reply.why[0] != '\0') return Error(exchange.reply.why, code);
  return Error::from_errno("the kernel module", code);
}

Result<void> KmodSource::simple(sonde_request_kind kind, uint64_t value, uint32_t id, ByteSpan payload) {
  auto done = transact({static_cast<uint32_t>(kind), id, value, 0, 0}, payload);
  if (!done) return std::move(done).error();
  return {};
}

Result<void> KmodSource::begin() { return simple(SONDE_HELLO, SONDE_ABI_VERSION); }

Result<void> KmodSource::create_buffers(uint64_t bytes) {
  std::vector<uint64_t> offsets(kRingsMax);
  auto count = transact({SONDE_BUFFERS, 0, bytes, 0, 0}, {},
                        {reinterpret_cast<uint8_t*>(offsets.data()), offsets.size() * sizeof offsets[0]});
  if (!count) return std::move(count).error();
  if (*count == 0 || *count > offsets.size()) return Error("the kernel module made no ring", EPROTO);
  offsets.resize(*count);
  for (uint64_t offset : offsets) {
    auto ring = map_ring(device_.get(), offset);
    if (!ring) return std::move(ring).error();
    rings_.push_back(ring->get());
    mapped_.push_back(std::move(*ring));
  }
  return {};
}

Result<void> KmodSource::load_program(ProgramId id, const sonde_dif_program& program) {
  return simple(SONDE_PROGRAM_LOAD, 0, id.value, encode_program(program));
}

Result<void> KmodSource::add_ecbs(std::span<const Ecb> ecbs) {
  std::vector<sonde_ecb> raw;
  raw.reserve(ecbs.size());
  for (const Ecb& ecb : ecbs) {
    raw.push_back({ecb.epid.value, ecb.probe.value, ecb.program.value, ecb.held ? SONDE_ECB_HELD : 0});
  }
  return simple(SONDE_ECB_ADD, raw.size(), 0, array_bytes(std::span<const sonde_ecb>(raw)));
}

Result<void> KmodSource::remove_ecbs(std::span<const Epid> epids) {
  return simple(SONDE_ECB_REMOVE, epids.size(), 0, array_bytes(epids));
}

Result<void> KmodSource::arm(std::span<const Tap> taps) {
  for (size_t at = 0; at < taps.size(); at += kTapsAtOnce) {
    const auto some = taps.subspan(at, std::min(kTapsAtOnce, taps.size() - at));
    auto armed = simple(SONDE_TAP_ARM, some.size(), 0, encode_taps(some));
    if (armed) continue;
    std::vector<TapId> undo;
    for (const Tap& tap : taps.first(at)) undo.push_back(tap.id);
    if (!undo.empty()) (void)disarm(undo);
    return armed;
  }
  return {};
}

Result<void> KmodSource::disarm(std::span<const TapId> taps) {
  return simple(SONDE_TAP_DISARM, taps.size(), 0, array_bytes(taps));
}

Result<uint32_t> KmodSource::spawn(const SpawnRequest& request) {
  if (request.argv.empty()) return Error("start a program: no name given", EINVAL);
  std::vector<char*> argv, environment;
  for (const auto& text : request.argv) argv.push_back(const_cast<char*>(text.c_str()));
  for (const auto& text : request.environment) environment.push_back(const_cast<char*>(text.c_str()));
  argv.push_back(nullptr);
  environment.push_back(nullptr);
  const std::string name = "start " + request.argv[0];
  int go[2], failure[2];
  if (pipe2(go, O_CLOEXEC) != 0) return Error::from_errno(name);
  UniqueFd go_read(go[0]), go_write(go[1]);
  if (pipe2(failure, O_CLOEXEC) != 0) return Error::from_errno(name);
  UniqueFd failure_read(failure[0]), failure_write(failure[1]);
  const pid_t pid = fork();
  if (pid < 0) return Error::from_errno(name);
  if (pid == 0) {
    close(go[1]);
    become(argv.data(), request.environment.empty() ? environ : environment.data(), go[0], failure[1]);
  }
  failure_write.reset();
  const bool seized = trace(PTRACE_SEIZE, pid, 0, kTraceOptions);
  const int code = errno;
  if (!seized || write(go_write.get(), "", 1) != 1) {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, __WALL);
    return Error::from_errno(name, code);
  }
  if (auto held = hold_after_exec(pid, name, failure_read.get()); !held) return std::move(held).error();
  children_[pid] = Child::Held;
  if (auto attached = attach(static_cast<uint32_t>(pid)); !attached) {
    kill(pid, SIGKILL);
    reap(pid);
    return std::move(attached).error();
  }
  return static_cast<uint32_t>(pid);
}

/// From the fork to the return of the exec, which is no event of the program.
Result<void> KmodSource::hold_after_exec(pid_t pid, const std::string& name, int failure) {
  bool executed = false;
  for (;;) {
    int status = 0;
    if (!await_stop(pid, status)) {
      int code = 0;
      if (read(failure, &code, sizeof code) == static_cast<ssize_t>(sizeof code)) return Error::from_errno(name, code);
      return Error(name + ": it was killed before it ran", ECHILD);
    }
    if (executed && WSTOPSIG(status) == (SIGTRAP | 0x80)) return {};
    executed = executed || status >> 16 == PTRACE_EVENT_EXEC;
    trace(executed ? PTRACE_SYSCALL : PTRACE_CONT, pid, 0, static_cast<uintptr_t>(signal_of(status)));
  }
}

Result<void> KmodSource::attach(uint32_t pid) {
  auto attached = simple(SONDE_ATTACH, pid);
  if (!attached) return std::move(attached).error().context("attach to process " + std::to_string(pid));
  return {};
}

Result<void> KmodSource::run_to_entry(uint32_t pid) {
  const auto child = children_.find(static_cast<pid_t>(pid));
  if (child == children_.end() || child->second != Child::Held) {
    return Error("process " + std::to_string(pid) + " was not started here, or runs already", ESRCH);
  }
  auto entry = entry_point(child->first);
  if (!entry) return std::move(entry).error();
  return run_to(child->first, *entry);
}

Result<void> KmodSource::run_to(pid_t pid, uint64_t address) {
  constexpr uint64_t kByte = 0xff, kBreakpoint = 0xcc;
  const Error lost("process " + std::to_string(pid) + " ended before its first instruction", ESRCH);
  errno = 0;
  const auto word = static_cast<uint64_t>(ptrace(PTRACE_PEEKTEXT, pid, address, nullptr));
  if (errno != 0 || !trace(PTRACE_POKETEXT, pid, address, (word & ~kByte) | kBreakpoint)) return lost;
  int signal = 0;
  for (;;) {
    int status = 0;
    if (!trace(PTRACE_CONT, pid, 0, static_cast<uintptr_t>(signal)) || !await_stop(pid, status)) {
      children_.erase(pid);
      return lost;
    }
    user_regs_struct regs{};
    if (ptrace(PTRACE_GETREGS, pid, nullptr, &regs) != 0) return lost;
    const bool there = status >> 16 == 0 && WSTOPSIG(status) == SIGTRAP && regs.rip == address + 1;
    signal = signal_of(status);
    if (!there) continue;
    regs.rip = address;
    if (!trace(PTRACE_POKETEXT, pid, address, word) || ptrace(PTRACE_SETREGS, pid, nullptr, &regs) != 0) return lost;
    return {};
  }
}

void KmodSource::let_go(pid_t pid) { trace(PTRACE_DETACH, pid); }

Result<void> KmodSource::go() {
  if (auto done = simple(SONDE_GO, 0); !done) return done;
  for (auto& [pid, state] : children_) {
    if (state == Child::Held) let_go(pid);
    state = Child::Going;
  }
  return {};
}

Result<void> KmodSource::stop_or_continue(uint32_t pid, int signal) {
  if (kill(static_cast<pid_t>(pid), signal) != 0) return Error::from_errno("process " + std::to_string(pid));
  return {};
}

Result<void> KmodSource::detach(uint32_t pid) {
  const auto child = children_.find(static_cast<pid_t>(pid));
  if (child != children_.end() && child->second == Child::Held) {
    let_go(child->first);
    child->second = Child::Going;
  }
  return simple(SONDE_DETACH, pid);
}

Result<void> KmodSource::read_memory(uint32_t pid, uint64_t address, std::span<uint8_t> to) {
  if (to.empty()) return {};
  const iovec here{to.data(), to.size()}, there{reinterpret_cast<void*>(address), to.size()};
  const ssize_t got = process_vm_readv(static_cast<pid_t>(pid), &here, 1, &there, 1, 0);
  if (got == static_cast<ssize_t>(to.size())) return {};
  if (got < 0 && errno != EFAULT) return Error::from_errno("memory of process " + std::to_string(pid));
  return Error("no such memory in process " + std::to_string(pid), EFAULT);
}

Result<void> KmodSource::write_memory(uint32_t pid, uint64_t address, std::span<const uint8_t> from) {
  if (from.empty()) return {};
  const iovec here{const_cast<uint8_t*>(from.data()), from.size()},
      there{reinterpret_cast<void*>(address), from.size()};
  const ssize_t put = process_vm_writev(static_cast<pid_t>(pid), &here, 1, &there, 1, 0);
  if (put == static_cast<ssize_t>(from.size())) return {};
  if (put < 0 && errno != EFAULT) return Error::from_errno("memory of process " + std::to_string(pid));
  return Error("no such memory in process " + std::to_string(pid), EFAULT);
}

Result<void> KmodSource::release(uint32_t tid, Release) {
  return Error("the kmod source holds no thread, so not " + std::to_string(tid) + " either", EOPNOTSUPP);
}

/// Takes a child's status off the kernel's hands; it is about to end when this is called.
void KmodSource::reap(pid_t pid) {
  if (children_.erase(pid) == 0) return;
  for (int turn = 0; turn < kReapTurns; turn++) {
    if (waitpid(pid, nullptr, WNOHANG | __WALL) != 0) return;
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
}

Result<std::optional<SourceEvent>> KmodSource::next_event() {
  uint8_t bytes[kEventRoom];
  ssize_t got;
  do got = read(device_.get(), bytes, sizeof bytes);
  while (got < 0 && errno == EINTR);
  if (got < 0 && errno == EAGAIN) return std::optional<SourceEvent>();
  if (got < 0) return Error::from_errno("read /dev/sonde");
  auto event = parse_event({bytes, static_cast<size_t>(got)});
  if (!event) return std::move(event).error();
  if (event->kind == SONDE_EVENT_TARGET_GONE) reap(static_cast<pid_t>(event->pid));
  return std::optional<SourceEvent>(std::move(*event));
}

Result<sonde_statistics> KmodSource::statistics() {
  sonde_statistics numbers{};
  auto done = transact({SONDE_STATISTICS, 0, 0, 0, 0}, {}, {reinterpret_cast<uint8_t*>(&numbers), sizeof numbers});
  if (!done) return std::move(done).error();
  return numbers;
}

}  // namespace

Result<std::unique_ptr<EventSource>> make_kmod_source() {
  UniqueFd device(open("/dev/sonde", O_RDWR | O_CLOEXEC | O_NONBLOCK));
  if (!device && (errno == ENOENT || errno == ENXIO || errno == ENODEV)) {
    return Error("no /dev/sonde: the kernel module is not loaded (modprobe sonde)", ENOENT);
  }
  if (!device && errno == EACCES) {
    return Error("/dev/sonde: permission denied: run as root, or join the device's group", EACCES);
  }
  if (!device) return Error::from_errno("/dev/sonde");
  auto source = std::make_unique<KmodSource>(std::move(device));
  if (auto begun = source->begin(); !begun) return std::move(begun).error();
  return std::unique_ptr<EventSource>(std::move(source));
}

}  // namespace sonde
