// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/source/fake_source.h"

#include <sys/eventfd.h>

#include <algorithm>
#include <cstring>

namespace sonde {
namespace {

/// What the interpreter's environment gets as its thread.
struct View {
  const FakeThread& thread;
  ProbeId probe;
  Nanoseconds timestamp;
};

const View& view_of(void* pointer) { return *static_cast<const View*>(pointer); }

bool copy_from(const std::map<uint64_t, std::vector<uint8_t>>& memory, uint64_t address, uint8_t* to, size_t length) {
  while (length > 0) {
    auto block = memory.upper_bound(address);
    if (block == memory.begin()) return false;
    --block;
    const uint64_t skip = address - block->first;
    if (skip >= block->second.size()) return false;
    const size_t part = std::min(length, block->second.size() - skip);
    std::memcpy(to, block->second.data() + skip, part);
    to += part;
    address += part;
    length -= part;
  }
  return true;
}

int read_user(void* pointer, uint64_t address, void* to, uint32_t length) {
  return copy_from(view_of(pointer).thread.memory, address, static_cast<uint8_t*>(to), length) ? 0 : -1;
}

int read_text(void* pointer, uint64_t address, char* to, uint32_t max) {
  for (uint32_t length = 0; length + 1 < max; length++) {
    if (!copy_from(view_of(pointer).thread.memory, address + length, reinterpret_cast<uint8_t*>(to + length), 1))
      return -1;
    if (to[length] == '\0') return static_cast<int>(length);
  }
  to[max - 1] = '\0';
  return static_cast<int>(max - 1);
}

uint64_t variable(void* pointer, uint32_t which) {
  const View& view = view_of(pointer);
  auto told = view.thread.variables.find(which);
  if (told != view.thread.variables.end()) return told->second;
  switch (which) {
    case SONDE_DIF_VAR_PID: return view.thread.pid;
    case SONDE_DIF_VAR_TID: return view.thread.tid;
    case SONDE_DIF_VAR_CPU: return view.thread.cpu;
    case SONDE_DIF_VAR_TIMESTAMP: return view.timestamp;
    case SONDE_DIF_VAR_PROBE: return view.probe.value;
    case SONDE_DIF_VAR_USTACKDEPTH: return view.thread.stack.size();
    default: return 0;
  }
}

uint64_t user_register(void* pointer, uint32_t number) {
  const auto& registers = view_of(pointer).thread.registers;
  auto found = registers.find(number);
  return found == registers.end() ? 0 : found->second;
}

int text(void* pointer, uint32_t which, uint64_t operand, char* to, uint32_t max) {
  const FakeThread& thread = view_of(pointer).thread;
  auto found = thread.texts.find({which, operand});
  if (found == thread.texts.end()) found = thread.texts.find({which, 0});
  std::string value;
  if (found != thread.texts.end())
    value = found->second;
  else if (which == SONDE_DIF_TEXT_EXECNAME)
    value = thread.execname;
  else
    return -1;
  const size_t length = std::min<size_t>(value.size(), max - 1);
  std::memcpy(to, value.data(), length);
  to[length] = '\0';
  return static_cast<int>(length);
}

int stack(void* pointer, uint64_t* to, uint32_t max) {
  const auto& frames = view_of(pointer).thread.stack;
  const size_t count = std::min<size_t>(frames.size(), max);
  std::copy_n(frames.begin(), count, to);
  return static_cast<int>(count);
}

constexpr sonde_dif_env kEnv = {read_user, read_text, variable, user_register, text, stack};

}  // namespace

std::vector<uint8_t> FakeThread::text(std::string_view text) {
  std::vector<uint8_t> bytes(text.begin(), text.end());
  bytes.push_back(0);
  return bytes;
}

FakeSource::FakeSource() : event_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE)) {}

Result<void> FakeSource::alive() const {
  if (dead_) return Error("the fake source has died", EPIPE);
  return {};
}

bool FakeSource::run_ecb(Firing& firing, const Ecb& ecb) {
  const sonde_dif_program& program = programs_.at(ecb.program.value).view;
  sonde_record* record = writer_->reserve(program.record_max);
  record->epid = ecb.epid.value;
  record->probe = firing.probe.value;
  record->timestamp = firing.timestamp;
  record->pid = firing.thread.pid;
  record->tid = firing.thread.tid;
  record->cpu = firing.thread.cpu;
  record->sequence = firing.sequence;
  View view{firing.thread, firing.probe, firing.timestamp};
  const sonde_dif_firing state{&kEnv,
                               &view,
                               firing.thread.args.data(),
                               firing.locals.data(),
                               thread_variables_[firing.thread.tid].data(),
                               firing.thread.execname.c_str()};
  const uint32_t size = sonde_dif_run(&program, &state, record);
  numbers_.firings++;
  if (ecb.held && size > 0) record->flags |= SONDE_RECORD_HELD;
  return writer_->commit(size) && ecb.held;
}

/// Whether it is held now.
bool FakeSource::run(Firing& firing) {
  auto ecbs = by_probe_.find(firing.probe.value);
  if (ecbs == by_probe_.end() || !writer_) return false;
  writer_->begin_firing(firing.timestamp);
  bool held_now = false;
  for (auto it = ecbs->second.upper_bound(firing.last_epid); it != ecbs->second.end() && !held_now; ++it) {
    firing.last_epid = it->first;
    held_now = run_ecb(firing, it->second);
  }
  writer_->end_firing();
  return held_now;
}

void FakeSource::fire(ProbeId probe, const FakeThread& thread, Nanoseconds timestamp) {
  Firing firing{probe, thread, timestamp, ++sequence_, 0, {}};
  numbers_.stops++;
  auto& queue = waiting_[thread.tid];
  if (!queue.empty() || run(firing)) {
    queue.push_back(std::move(firing));
    push_event({SONDE_EVENT_DATA, 0, 0, 0, 0, {}});
  } else if (writer_ && writer_->should_wake_reader()) {
    push_event({SONDE_EVENT_DATA, 0, 0, 0, 0, {}});
  }
}

template <typename Wanted>
size_t FakeSource::fire_taps(const FakeThread& thread, Nanoseconds timestamp, Wanted wanted) {
  std::vector<ProbeId> probes;
  for (const auto& [id, tap] : taps_) {
    if (wanted(tap) && (tap.pid == 0 || tap.pid == thread.pid)) probes.push_back(tap.probe);
  }
  for (ProbeId probe : probes) fire(probe, thread, timestamp);
  return probes.size();
}

size_t FakeSource::fire(sonde_tap_kind kind, uint32_t number, const FakeThread& thread, Nanoseconds timestamp) {
  const bool call = kind == SONDE_TAP_SYSCALL_ENTRY || kind == SONDE_TAP_SYSCALL_RETURN;
  return fire_taps(thread, timestamp,
                   [=](const Tap& tap) { return tap.kind == kind && (!call || tap.number == number); });
}

size_t FakeSource::fire(sonde_tap_kind kind, std::string_view path, uint64_t offset, const FakeThread& thread,
                        Nanoseconds timestamp) {
  return fire_taps(thread, timestamp,
                   [=](const Tap& tap) { return tap.kind == kind && tap.path == path && tap.offset == offset; });
}

void FakeSource::push_event(SourceEvent event) {
  events_.push_back(std::move(event));
  eventfd_write(event_fd_.get(), 1);
}

std::vector<Tap> FakeSource::armed() const {
  std::vector<Tap> result;
  for (const auto& [id, tap] : taps_) result.push_back(tap);
  return result;
}

size_t FakeSource::ecbs() const {
  size_t count = 0;
  for (const auto& [probe, list] : by_probe_) count += list.size();
  return count;
}

Result<void> FakeSource::create_buffers(uint64_t bytes) {
  if (writer_) return Error("there are buffers already", EEXIST);
  auto made = create_ring_memfd(bytes);
  if (!made) return std::move(made).error();
  ring_ = std::move(*made);
  writer_.emplace(ring_.ring);
  return alive();
}

Result<void> FakeSource::load_program(ProgramId id, const sonde_dif_program& program) {
  Program owned;
  owned.insns.assign(program.insns, program.insns + program.length);
  owned.pool.assign(program.pool, program.pool + program.pool_size);
  owned.kinds.assign(program.kinds, program.kinds + program.slots);
  owned.view = program;
  owned.view.insns = owned.insns.data();
  owned.view.pool = owned.pool.data();
  owned.view.kinds = owned.kinds.data();
  char why[200] = "";
  if (int error = sonde_dif_verify(&owned.view, why, sizeof why)) return Error(why, -error);
  programs_[id.value] = std::move(owned);
  return alive();
}

Result<void> FakeSource::add_ecbs(std::span<const Ecb> ecbs) {
  for (const Ecb& ecb : ecbs) {
    if (!programs_.contains(ecb.program.value)) return Error("no such program", ENOENT);
  }
  for (const Ecb& ecb : ecbs) by_probe_[ecb.probe.value][ecb.epid.value] = ecb;
  return alive();
}

Result<void> FakeSource::remove_ecbs(std::span<const Epid> epids) {
  for (Epid epid : epids) {
    for (auto& [probe, list] : by_probe_) list.erase(epid.value);
  }
  return alive();
}

Result<void> FakeSource::arm(std::span<const Tap> taps) {
  if (refuse_arm) return *std::exchange(refuse_arm, std::nullopt);
  for (const Tap& tap : taps) taps_[tap.id.value] = tap;
  return alive();
}

Result<void> FakeSource::disarm(std::span<const TapId> taps) {
  for (TapId id : taps) taps_.erase(id.value);
  return alive();
}

Result<uint32_t> FakeSource::spawn(const SpawnRequest& request) {
  if (dead_) return std::move(alive()).error();
  spawned.push_back(request);
  return next_pid++;
}

Result<void> FakeSource::attach(uint32_t pid) {
  attached.push_back(pid);
  return alive();
}
Result<void> FakeSource::run_to_entry(uint32_t pid) {
  entered.push_back(pid);
  return alive();
}
Result<void> FakeSource::go() {
  gone_on = true;
  return alive();
}
Result<void> FakeSource::hold(uint32_t pid) {
  held.push_back(pid);
  return alive();
}
Result<void> FakeSource::resume(uint32_t pid) {
  resumed.push_back(pid);
  return alive();
}
Result<void> FakeSource::detach(uint32_t pid) {
  detached.push_back(pid);
  return alive();
}

Result<void> FakeSource::read_memory(uint32_t, uint64_t address, std::span<uint8_t> to) {
  if (!copy_from(memory, address, to.data(), to.size())) return Error("no such memory in the target", EFAULT);
  return alive();
}

Result<void> FakeSource::write_memory(uint32_t, uint64_t address, std::span<const uint8_t> from) {
  for (uint8_t byte : from) {
    auto block = memory.upper_bound(address);
    if (block == memory.begin() || address - std::prev(block)->first >= std::prev(block)->second.size()) {
      return Error("no such memory in the target", EFAULT);
    }
    --block;
    block->second[address++ - block->first] = byte;
  }
  return alive();
}

Result<void> FakeSource::release(uint32_t tid, Release how) {
  auto& queue = waiting_[tid];
  if (queue.empty()) return Error("thread " + std::to_string(tid) + " is not held", EINVAL);
  released.emplace_back(tid, how);
  while (!queue.empty() && !run(queue.front())) queue.pop_front();
  if (!queue.empty()) push_event({SONDE_EVENT_DATA, 0, 0, 0, 0, {}});
  return alive();
}

Result<std::optional<SourceEvent>> FakeSource::next_event() {
  if (events_.empty()) {
    if (auto well = alive(); !well) return std::move(well).error();
    return std::optional<SourceEvent>();
  }
  eventfd_t count;
  eventfd_read(event_fd_.get(), &count);
  SourceEvent event = std::move(events_.front());
  events_.pop_front();
  return std::optional<SourceEvent>(std::move(event));
}

Result<sonde_statistics> FakeSource::statistics() {
  if (auto well = alive(); !well) return std::move(well).error();
  numbers_.records = writer_ ? writer_->records() : 0;
  numbers_.drops = writer_ ? writer_->drops() : 0;
  return numbers_;
}

}  // namespace sonde
