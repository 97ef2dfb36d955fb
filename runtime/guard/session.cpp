// SPDX-License-Identifier: GPL-3.0-or-later
// The guard's loop
//
//   wait() --.-- ptrace stops ----------> the Tracer's callbacks --> events
//            |-- the sampler's timers --> samples
//            `-- the socket -----------> requests --> one reply each, in their order
//
// The lives of its targets depend on the guard, so it must not block on the socket of a consumer that is stopped: what
// cannot be sent waits in channel_, and the loop tries again after kUnsentMs. When the consumer is gone, the loop ends
// and the targets are let go.
//
// Invariant: a request that adds taps or ECBs adds all or none. One that removes them removes those it finds, and then
// fails if some were missing.
#include "runtime/guard/session.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <set>

#include "runtime/base/clock.h"

namespace sonde::guard {
namespace {

constexpr int kIdleMs = 1000;
constexpr int kUnsentMs = 10;

Error not_traced(uint64_t pid) { return Error("no process " + std::to_string(pid) + " is traced", ESRCH); }

Error address_fault() { return Error("no such memory in the target", EFAULT); }

}  // namespace

Session::Session(UtraceHost& host, UniqueFd socket)
    : host_(host),
      channel_(std::move(socket)),
      recorder_(ecbs_),
      tracer_(host, taps_, recorder_,
              {[this](pid_t pid, long status) {
                 event(SONDE_EVENT_TARGET_GONE, pid, static_cast<uint64_t>(status), nullptr, "");
               },
               [this](pid_t pid) { event(SONDE_EVENT_EXEC, pid, 0, nullptr, ""); },
               [this](pid_t pid, const Mapping& mapping, pid_t waiting) {
                 event(SONDE_EVENT_MAPPED, pid, static_cast<uint64_t>(waiting), &mapping, mapping.path);
               },
               [this](pid_t pid, const Mapping& mapping, sonde_mapping_when when, Nanoseconds time, int file) {
                 event(SONDE_EVENT_MAPPING, pid, when, &mapping, mapping.path, time, file);
               },
               [this](const std::string& text) { event(SONDE_EVENT_NOTICE, 0, 0, nullptr, text); },
               [this](const std::string& text) { event(SONDE_EVENT_NOTICE, 0, 1, nullptr, text); },
               [this] { event(SONDE_EVENT_DATA, 0, 0, nullptr, ""); }}) {
  recorder_.set_reader(channel_.fd());
}

void Session::serve() {
  while (!consumer_gone_) {
    std::vector<int> fds = tracer_.sampler().fds();
    fds.push_back(channel_.fd());
    const size_t own = fds.size();
    std::ranges::copy(tracer_.page_fds(), std::back_inserter(fds));
    const bool soon = channel_.unsent() || fds.size() > own;
    for (int fd : host_.wait(fds, soon ? kUnsentMs : kIdleMs)) {
      const auto which = static_cast<size_t>(std::ranges::find(fds, fd) - fds.begin());
      if (which < own - 1) tracer_.sampler().due(fd);
      if (which == own - 1 && !receive()) consumer_gone_ = true;
    }
    tracer_.continue_page_waits();
    notify_all_gone();
    if (!channel_.flush()) consumer_gone_ = true;
  }
  recorder_.set_reader(-1);
  tracer_.abandon();
  notify_stay();
}

/// The consumer may have closed only its sending side, and wait for the guard's end: then it can still be notified.
void Session::notify_stay() {
  std::set<pid_t> cared;
  for (utrace_task* task : host_.tasks())
    if (host_.filtered(utrace_task_pid(task))) cared.insert(utrace_task_pid(task));
  if (cared.empty() || !went_) return;
  const std::string whom = cared.size() == 1 ? "process " + std::to_string(*cared.begin()) + " has"
                                             : std::to_string(cared.size()) + " processes have";
  consumer_gone_ = false;
  event(SONDE_EVENT_STAYS, 0, cared.size(), nullptr,
        whom + " a system call filter of -c: sonde-guard (pid " + std::to_string(getpid()) +
            ") stays until the end of it");
}

/// False: the consumer is gone.
bool Session::receive() {
  const bool open = channel_.fill();
  channel_.take_fds();  // a consumer sends none
  if (!open) return false;
  while (auto packet = channel_.next()) handle(*packet);
  return channel_.flush();
}

/// When the consumer is gone, harm is still reported: to one that waits for our end, or else on standard error.
void Session::event(sonde_event_kind kind, pid_t pid, uint64_t value, const Mapping* mapping, std::string_view text,
                    Nanoseconds time, int file) {
  const bool harm = kind == SONDE_EVENT_NOTICE && value != 0;
  if (consumer_gone_ && !harm) return;
  sonde_event header{};
  header.kind = kind;
  header.pid = static_cast<uint32_t>(pid);
  header.value = value;
  header.length = static_cast<uint32_t>(text.size());
  header.time = time != 0 ? time : monotonic_now();
  if (mapping != nullptr) {
    header.address = mapping->start;
    header.size = mapping->end - mapping->start;
    header.offset = mapping->offset;
    header.inode = mapping->inode;
    header.major = mapping->major;
    header.minor = mapping->minor;
    const Process* process = kind == SONDE_EVENT_MAPPED ? tracer_.targets().process(pid) : nullptr;
    if (process != nullptr) header.origin = static_cast<uint32_t>(process->origin);
  }
  header.descriptors = file >= 0 ? 1 : 0;
  recorder_.count_event();
  channel_.send(SONDE_PACKET_EVENT, {as_bytes(header), {reinterpret_cast<const uint8_t*>(text.data()), text.size()}},
                {&file, header.descriptors});
  if (!channel_.flush() && harm) dprintf(STDERR_FILENO, "sonde: %.*s\n", static_cast<int>(text.size()), text.data());
}

void Session::notify_all_gone() {
  const bool some = !tracer_.targets().processes().empty();
  if (had_targets_ && !some) event(SONDE_EVENT_ALL_GONE, 0, 0, nullptr, "");
  had_targets_ = some;
}

void Session::handle(const Packet& packet) {
  if (packet.malformed || packet.kind != SONDE_PACKET_REQUEST)
    return reply(Error("malformed request: not a request", EINVAL));
  auto request = parse_request(packet.body());
  if (!request) return reply(std::move(request).error());
  auto answer = perform(*request);
  if (went_) tracer_.breakpoints().notify_refused();  // not before GO: taps come in batches, and are reported together
  reply(std::move(answer));
}

/// receive() sends it, with the other replies of its batch.
void Session::reply(Result<Answer> answer) {
  sonde_reply header{};
  const ByteSpan head = as_bytes(header).first(kReplyHead);
  if (!answer) {
    header.error = answer.error().code() > 0 ? -answer.error().code() : -EIO;
    const std::string& why = answer.error().message();
    header.length = static_cast<uint32_t>(why.size());
    channel_.send(SONDE_PACKET_REPLY, {head, {reinterpret_cast<const uint8_t*>(why.data()), why.size()}});
  } else {
    header.value = answer->value;
    header.length = static_cast<uint32_t>(answer->bytes.size());
    channel_.send(SONDE_PACKET_REPLY, {head, answer->bytes}, answer->fds);
  }
}

Result<Session::Answer> Session::perform(const RequestView& request) {
  const auto plain = [](Result<void> result) -> Result<Answer> {
    if (!result) return std::move(result).error();
    return Answer{};
  };
  const auto pid = static_cast<pid_t>(request.header.value);
  switch (static_cast<sonde_request_kind>(request.header.kind)) {
    case SONDE_HELLO: return Answer{SONDE_ABI_VERSION | SONDE_SEES_COMPAT, {}, {}};
    case SONDE_BUFFERS: return buffers(request);
    case SONDE_PROGRAM_LOAD: return plain(load(request));
    case SONDE_ECB_ADD: return plain(add_ecbs(request));
    case SONDE_ECB_REMOVE: return plain(remove_ecbs(request));
    case SONDE_TAP_ARM: return plain(arm(request));
    case SONDE_TAP_DISARM: return plain(disarm(request));
    case SONDE_SPAWN: return spawn(request);
    case SONDE_ATTACH: return plain(attach(request));
    case SONDE_RUN_TO_ENTRY:
      return plain(tracer_.run_to_entry(pid, request.header.id == 1, [this] { return !channel_.fill(); }));
    case SONDE_GO:
      went_ = true;
      tracer_.go();
      return Answer{};
    case SONDE_DETACH: return detach(request);
    case SONDE_READ_MEMORY: return read_memory(request);
    case SONDE_WRITE_MEMORY: return plain(write_memory(request));
    case SONDE_RELEASE:
      return plain(tracer_.release(static_cast<pid_t>(request.header.id), request.header.value,
                                   static_cast<int64_t>(request.header.address)));
    case SONDE_FOLLOW: return plain(follow(request));
    case SONDE_ACKNOWLEDGE: return plain(tracer_.acknowledge(static_cast<pid_t>(request.header.id)));
    case SONDE_STATISTICS: return statistics();
    case SONDE_STACK: return stack(request);
    case SONDE_SESSIONS: return Error("a guard has one session only", EOPNOTSUPP);
    case SONDE_REQUEST_COUNT: break;
  }
  return Error("malformed request: unknown kind", EINVAL);
}

Result<void> Session::follow(const RequestView& request) {
  if (request.payload.empty()) return tracer_.follow(static_cast<pid_t>(request.header.value), request.header.id == 1);
  tracer_.follow_files({reinterpret_cast<const char*>(request.payload.data()), request.payload.size()});
  return {};
}

Result<Session::Answer> Session::buffers(const RequestView& request) {
  if (request.header.id >= SONDE_POLICY_COUNT) return Error("no such buffer policy", EINVAL);
  if (!kCan.policies.contains(static_cast<sonde_policy>(request.header.id)))
    return Error("the " + std::string(kPtraceRow.name) + " source has buffers of policy switch only", EOPNOTSUPP);
  auto fd = recorder_.create(request.header.value);
  if (!fd) return std::move(fd).error();
  return Answer{1, {}, {*fd}};
}

Result<void> Session::load(const RequestView& request) {
  auto program = parse_program(request.payload);
  if (!program) return std::move(program).error();
  auto loaded = ecbs_.load(request.header.id, std::move(*program));
  if (loaded && ecbs_.walks_stacks()) tracer_.expect_walks();
  return loaded;
}

Result<void> Session::add_ecbs(const RequestView& request) {
  auto ecbs = parse_ecbs(request.payload);
  if (!ecbs) return std::move(ecbs).error();
  auto added = ecbs_.add(*ecbs);
  tracer_.sampler().taps_changed();
  return added;
}

Result<void> Session::remove_ecbs(const RequestView& request) {
  auto epids = parse_ids(request.payload);
  if (!epids) return std::move(epids).error();
  auto removed = ecbs_.remove(*epids);
  tracer_.sampler().taps_changed();
  return removed;
}

Result<void> Session::arm(const RequestView& request) {
  auto taps = parse_taps(request.payload, request.header.value);
  if (!taps) return std::move(taps).error();
  std::vector<ArmedTap*> armed;
  for (const Tap& tap : *taps) {
    auto added = taps_.add(tap, armed.empty() ? nullptr : armed.back());
    if (!added) {
      for (const ArmedTap* other : armed) taps_.remove(other->id);
      return std::move(added).error();
    }
    armed.push_back(*added);
  }
  for (ArmedTap* tap : armed)
    if (tap->user()) tracer_.breakpoints().arm(*tap);
  tracer_.breakpoints().settle_counters();
  tracer_.taps_changed();
  return {};
}

Result<void> Session::disarm(const RequestView& request) {
  auto ids = parse_ids(request.payload);
  if (!ids) return std::move(ids).error();
  bool missing = false;
  std::vector<ArmedTap*> in_memory;
  for (uint32_t id : *ids) {
    ArmedTap* tap = taps_.find(id);
    if (tap == nullptr)
      missing = true;
    else if (tap->user())
      in_memory.push_back(tap);
  }
  tracer_.breakpoints().disarm(in_memory);
  for (uint32_t id : *ids) taps_.remove(id);
  tracer_.taps_changed();
  if (missing) return Error("no such tap", ENOENT);
  return {};
}

Result<Session::Answer> Session::spawn(const RequestView& request) {
  auto what = parse_spawn(request.payload);
  if (!what) return std::move(what).error();
  std::vector<uint32_t> numbers;
  for (uint32_t call : what->calls) std::ranges::copy(numbers_of_call(call), std::back_inserter(numbers));
  auto pid =
      tracer_.spawn({std::move(what->argv), std::move(what->environment), what->filter, std::move(numbers),
                     what->shows_exec, std::move(what->user), what->terminal, [this] { return !channel_.fill(); }});
  if (!pid) return std::move(pid).error();
  for_child_.clear();
  had_targets_ = true;
  return Answer{static_cast<uint64_t>(*pid), {}, {}};
}

Result<void> Session::attach(const RequestView& request) {
  for_child_.clear();
  if (request.header.value == 0 || request.header.value > INT32_MAX) return Error("no such process", ESRCH);
  auto attached = tracer_.attach(static_cast<pid_t>(request.header.value));
  if (attached) had_targets_ = true;
  return attached;
}

Result<Session::Answer> Session::detach(const RequestView& request) {
  if (request.header.value == 0) {
    auto gone = tracer_.let_all_go();
    if (!gone) return std::move(gone).error();
    return Answer{*gone, {}, {}};
  }
  const auto pid = static_cast<pid_t>(request.header.value);
  if (tracer_.targets().process(pid) == nullptr) return not_traced(request.header.value);
  tracer_.let_go({pid});
  return Answer{};
}

Result<Session::Answer> Session::stack(const RequestView& request) {
  auto frames = tracer_.stack_of(static_cast<pid_t>(request.header.id));
  if (!frames) return std::move(frames).error();
  Answer answer;
  answer.bytes.resize(frames->size() * sizeof(uint64_t));
  std::memcpy(answer.bytes.data(), frames->data(), answer.bytes.size());
  return answer;
}

Result<Session::Answer> Session::read_memory(const RequestView& request) {
  Process* process = tracer_.targets().process(static_cast<pid_t>(request.header.id));
  if (process == nullptr) return not_traced(request.header.id);
  if (request.header.length > kMemoryMax) return Error("too much memory at once", EINVAL);
  Answer answer;
  answer.bytes.resize(request.header.length);
  const auto threads = tracer_.targets().threads_of(process->pid);
  const bool read = !threads.empty() &&
                    read_target(*threads.front(), request.header.address, answer.bytes.data(), answer.bytes.size());
  if (!read) return address_fault();
  return answer;
}

Result<void> Session::write_memory(const RequestView& request) {
  Process* process = tracer_.targets().process(static_cast<pid_t>(request.header.id));
  if (process == nullptr) return not_traced(request.header.id);
  if (request.payload.size() > kMemoryMax) return Error("too much memory at once", EINVAL);
  const uint64_t address = request.header.address;
  const auto& sites = process->space->sites();
  const auto site = sites.lower_bound(address);
  if (site != sites.end() && site->first - address < request.payload.size()) return Error("a probe is there", EBUSY);
  const auto threads = tracer_.targets().threads_of(process->pid);
  if (threads.empty() || !write_target(*threads.front(), address, request.payload.data(), request.payload.size()))
    return address_fault();
  return {};
}

Session::Answer Session::statistics() const {
  const sonde_statistics numbers{host_.stops(),
                                 recorder_.firings(),
                                 recorder_.records(),
                                 recorder_.drops(),
                                 tracer_.stepper().steps(),
                                 tracer_.stepper().emulated(),
                                 static_cast<uint64_t>(host_.looking().count())};
  const ByteSpan bytes = as_bytes(numbers);
  return {0, Bytes(bytes.begin(), bytes.end()), {}};
}

}  // namespace sonde::guard
