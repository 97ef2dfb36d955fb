// SPDX-License-Identifier: GPL-3.0-or-later
// The kmod source: a client of /dev/sonde
//
//   this process                                   the kernel module
//     Device        --- SONDE_EXCHANGE (ioctl) ->  session, taps
//                   <-- read(): events ----------
//     MappedRing    <======= mmap, one a CPU ===>  writers
//
// Three things are done here, not in the module: HeldPrograms starts programs and holds them; process_vm_readv(2) and
// process_vm_writev(2) access memory; and CopiedStacks walks the user stacks that the module could only copy. Targets of attach() are never stopped: they run on, and the module reports
// nothing of them until go().
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <deque>

#include "kmod/shared/tracepoint.h"
#include "runtime/process/tracepoints.h"
#include "runtime/source/client.h"
#include "runtime/source/copied_stacks.h"
#include "runtime/source/held_programs.h"
#include "runtime/source/own_rights.h"
#include "runtime/source/readiness.h"
#include "runtime/source/registry.h"
#include "runtime/utrace/thread_status.h"

namespace sonde {
namespace {

constexpr char kKernelTypes[] = "/sys/kernel/btf/vmlinux";
constexpr size_t kEventRoom = sizeof(sonde_event) + SONDE_PATH_MAX;

class Device final : public Transport {
 public:
  explicit Device(UniqueFd device) : device_(std::move(device)) {}

  Result<Answer> transact(const sonde_request& request, ByteSpan payload, size_t room) override;
  Result<std::vector<MappedRing>> map_rings(const Answer& answer) override;
  int event_fd() const override { return device_.get(); }
  Result<std::optional<SourceEvent>> next_event() override;
  Result<MappedRing> map_one(uint64_t number) { return map_ring(device_.get(), number * SONDE_RING_STRIDE); }

 private:
  UniqueFd device_;
};

/// The module does not know the other sources. Adds to its refusal the name of a source that can do what it cannot.
std::string name_other_source(std::string why) {
  constexpr std::string_view kOther = "another source";
  const size_t at = why.find(kOther);
  if (at != std::string::npos) why.replace(at, kOther.size(), "-x source=" + std::string(kPtraceRow.name));
  return why;
}

Result<Transport::Answer> Device::transact(const sonde_request& request, ByteSpan payload, size_t room) {
  Answer answer{0, Bytes(room)};
  sonde_exchange exchange{};
  exchange.request = request;
  exchange.payload = reinterpret_cast<uintptr_t>(payload.data());
  exchange.answer = reinterpret_cast<uintptr_t>(answer.bytes.data());
  exchange.room = room;
  int result;
  do result = ioctl(device_.get(), SONDE_EXCHANGE, &exchange);
  while (result != 0 && errno == EINTR && request.kind != SONDE_ATTACH);  // Ctrl-C ends the wait for an exec that hangs
  if (result == 0) {
    answer.value = exchange.reply.value;
    answer.bytes.resize(exchange.reply.length);
    return answer;
  }
  const int code = errno;
  exchange.reply.why[sizeof exchange.reply.why - 1] = '\0';
  if (exchange.reply.why[0] != '\0') return Error(name_other_source(exchange.reply.why), code);
  return Error::from_errno("the kernel module", code);
}

/// The answer is an array of offsets into the device, one a ring.
Result<std::vector<MappedRing>> Device::map_rings(const Answer& answer) {
  std::vector<MappedRing> rings;
  for (size_t at = 0; at + sizeof(uint64_t) <= answer.bytes.size(); at += sizeof(uint64_t)) {
    uint64_t offset;
    std::memcpy(&offset, answer.bytes.data() + at, sizeof offset);
    auto ring = map_ring(device_.get(), offset);
    if (!ring) return std::move(ring).error();
    rings.push_back(std::move(*ring));
  }
  return rings;
}

Result<std::optional<SourceEvent>> Device::next_event() {
  uint8_t bytes[kEventRoom];
  ssize_t got;
  do got = read(device_.get(), bytes, sizeof bytes);
  while (got < 0 && errno == EINTR);
  if (got < 0 && errno == EAGAIN) return std::optional<SourceEvent>();
  if (got < 0) return Error::from_errno("read /dev/sonde");
  auto event = parse_event({bytes, static_cast<size_t>(got)});
  if (!event) return std::move(event).error();
  return std::optional<SourceEvent>(std::move(*event));
}

/// Checks the result of process_vm_readv() or process_vm_writev().
Result<void> moved_all(ssize_t moved, size_t wanted, uint32_t pid) {
  if (moved == static_cast<ssize_t>(wanted)) return {};
  if (moved < 0 && errno != EFAULT) return Error::from_errno("memory of process " + std::to_string(pid));
  return Error("no such memory in process " + std::to_string(pid), EFAULT);
}

bool is_tracepoint(const Tap& tap) { return tap.kind == SONDE_TAP_TRACEPOINT; }

uint8_t shape_of(const TracepointArgument& argument) {
  switch (argument.bytes) {
    case 1: return argument.is_signed ? SONDE_ARGUMENT_S8 : SONDE_ARGUMENT_U8;
    case 2: return argument.is_signed ? SONDE_ARGUMENT_S16 : SONDE_ARGUMENT_U16;
    case 4: return argument.is_signed ? SONDE_ARGUMENT_S32 : SONDE_ARGUMENT_U32;
    default: return SONDE_ARGUMENT_WORD;
  }
}

class KmodSource final : public SourceClient {
 public:
  KmodSource(std::unique_ptr<Device> device, const SourceOptions& options)
      : SourceClient(kKmodRow, std::move(device)), device_(static_cast<Device&>(transport())), programs_(options) {}

  Result<void> begin_spawn(const SpawnRequest& request) override {
    auto pid = programs_.spawn(request, [this](uint32_t pid) { return attach(pid); });
    if (!pid) return std::move(pid).error();
    spawned_.push_back(*pid);
    return {};
  }
  Result<uint32_t> spawned() override {
    const uint32_t pid = spawned_.front();
    spawned_.pop_front();
    return pid;
  }
  Result<void> attach(uint32_t pid) override {
    auto attached = SourceClient::attach(pid);
    if (attached) return attached;
    if (attached.error().code() == EPERM) return attach_refused(static_cast<pid_t>(pid), EPERM);
    return std::move(attached).error().context("attach to pid " + std::to_string(pid));
  }
  Result<void> arm(std::span<const Tap> taps) override {
    if (std::ranges::none_of(taps, is_tracepoint)) return SourceClient::arm(taps);
    std::vector<Tap> shaped(taps.begin(), taps.end());
    for (Tap& tap : shaped)
      if (is_tracepoint(tap))
        if (auto told = tell_shapes(tap); !told) return told;
    return SourceClient::arm(shaped);
  }
  Result<void> run_to_entry(uint32_t pid) override { return programs_.run_to_entry(pid); }
  Result<void> run_to_constructors(uint32_t pid) override { return programs_.run_to_constructors(pid); }
  Result<void> go() override {
    auto done = SourceClient::go();
    if (done) programs_.let_all_go();
    return done;
  }
  /// A thread that was not held (it fired a timer's probe) runs on, and gets its signal all the same.
  Result<void> release(uint32_t tid, Release how) override {
    auto released = SourceClient::release(tid, how);
    const int signal = how.stop ? SIGSTOP : how.signal;
    const bool waited = released || (released.error().code() != ESRCH && released.error().code() != EINVAL);
    if (waited || signal == 0 || tid == 0) return released;
    if (kill(static_cast<pid_t>(tid), signal) == 0) return {};
    return Error::from_errno("signal " + std::to_string(signal) + " to thread " + std::to_string(tid));
  }
  Result<void> detach(uint32_t pid) override {
    programs_.let_go(pid);
    return SourceClient::detach(pid);
  }
  Result<uint64_t> detach_all() override {
    programs_.let_all_go();
    return SourceClient::detach_all();
  }
  Result<void> read_memory(uint32_t pid, uint64_t address, std::span<uint8_t> to) override {
    if (to.empty()) return {};
    const iovec here{to.data(), to.size()}, there{reinterpret_cast<void*>(address), to.size()};
    return moved_all(process_vm_readv(static_cast<pid_t>(pid), &here, 1, &there, 1, 0), to.size(), pid);
  }
  Result<void> write_memory(uint32_t pid, uint64_t address, std::span<const uint8_t> from) override {
    if (from.empty()) return {};
    const iovec here{const_cast<uint8_t*>(from.data()), from.size()},
        there{reinterpret_cast<void*>(address), from.size()};
    return moved_all(process_vm_writev(static_cast<pid_t>(pid), &here, 1, &there, 1, 0), from.size(), pid);
  }
  /// Only of a session that sees every process: for others the module copies no stack.
  void finish_record(sonde_record& record, std::span<const uint8_t> kinds) override { stacks_.finish(record, kinds); }
  Result<std::optional<SourceEvent>> next_event() override {
    if (auto seen = stacks_.take_mapping()) return std::optional<SourceEvent>(std::move(*seen));
    auto event = SourceClient::next_event();
    if (!event || !*event) return event;
    if (const auto* gone = std::get_if<TargetGone>(&**event)) programs_.reap(gone->pid);
    if (const auto* added = std::get_if<RingsAdded>(&**event))
      if (auto mapped = map_rings_up_to(added->rings); !mapped) return std::move(mapped).error();
    return event;
  }

 private:
  Result<void> map_rings_up_to(uint64_t count) {
    while (mapped_rings().size() < count) {
      auto ring = device_.map_one(mapped_rings().size());
      if (!ring) return std::move(ring).error();
      add_ring(std::move(*ring));
    }
    return {};
  }

  /// The module does not look for the types of a tracepoint's arguments.
  Result<void> tell_shapes(Tap& tap) {
    if (kernel_ == nullptr) {
      auto types = read_btf(kKernelTypes);
      if (!types) return std::move(types).error();
      kernel_ = std::move(*types);
    }
    auto arguments = tracepoint_arguments(*kernel_, tap.path);
    if (!arguments) return std::move(arguments).error();
    tap.offset = 0;
    for (size_t n = 0; n < std::min<size_t>(arguments->size(), SONDE_DIF_ARGS); n++)
      tap.offset |= uint64_t{shape_of((*arguments)[n])} << (n * SONDE_ARGUMENT_SHIFT);
    return {};
  }

  std::unique_ptr<CTypes> kernel_;  ///< null: not asked yet
  Device& device_;
  HeldPrograms programs_;
  CopiedStacks stacks_;
  std::deque<uint32_t> spawned_;  ///< pids that spawned() has not returned yet
};

// Which capability is missing for user functions, samples and processes of other users; empty: none.
std::string missing_capabilities() {
  std::string missing;
  if (!has_capability(CAP_PERFMON) && !has_capability(CAP_SYS_ADMIN)) missing = "CAP_PERFMON";
  if (!has_capability(CAP_SYS_PTRACE)) missing += missing.empty() ? "CAP_SYS_PTRACE" : " and CAP_SYS_PTRACE";
  return missing;
}

}  // namespace

Result<std::unique_ptr<EventSource>> open_kmod_source(const SourceOptions& options) {
  UniqueFd device(open("/dev/sonde", O_RDWR | O_CLOEXEC | O_NONBLOCK));
  if (!device && (errno == ENOENT || errno == ENXIO || errno == ENODEV))
    return Error("no /dev/sonde: the kernel module is not " +
                     std::string(module_is_installed(kernel_release()) ? "loaded (modprobe sonde)"
                                                                       : "there (sonde doctor says what it needs)"),
                 ENOENT);
  if (!device && errno == EACCES)
    return Error("/dev/sonde: permission denied: run as root, or join the device's group", EACCES);
  if (!device) return Error::from_errno("/dev/sonde");
  if (const std::string missing = missing_capabilities(); options.whole && !missing.empty()) {
    return Error("/dev/sonde: without " + missing +
                     " the kernel module shows only system calls, processes and signals of programs "
                     "that you name and own (-x source=kmod)",
                 EPERM);
  }
  auto source = std::make_unique<KmodSource>(std::make_unique<Device>(std::move(device)), options);
  if (auto begun = source->begin(); !begun) return std::move(begun).error();
  return std::unique_ptr<EventSource>(std::move(source));
}

}  // namespace sonde
