// SPDX-License-Identifier: GPL-3.0-or-later
// The bpf source: programs of our own at tracepoints of a stock kernel, for the whole machine
//
//   sys_enter --> stub --> programs[0] --> program of all fire parts of entries --.
//   sys_exit  --> stub --> programs[1] --> program of all fire parts of returns --+--> rings (runtime/bpf/)
//     (or by a perf event of the tracepoint: runtime/bpf/tracepoint_link.h)
//   a hook    --> stub --> programs[n] --> program of all that fires there -------'
//   a clock of each CPU --> the same for each profile tap (runtime/bpf/sampler.h)
//   instructions of programs, functions of the kernel: user_probes.h
//
// There is no other end that could be asked: this process says by bpf(2) what is to run, and the kernel takes all away
// when it ends, however it ends. When taps or ECBs change, the hook's program and its table are made anew and exchanged
// in one step; in between, the old ones run.
//
// A firing is counted by its record or by a drop. What the kernel itself left out, because a program was running on that
// CPU already, it counts; that is added to the drops here.
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <iterator>
#include <map>
#include <optional>

#include "runtime/base/clock.h"
#include "runtime/base/page.h"
#include "runtime/bpf/bpf_call.h"
#include "runtime/bpf/chain.h"
#include "runtime/bpf/cpus.h"
#include "runtime/bpf/hook_program.h"
#include "runtime/bpf/kprobe.h"
#include "runtime/bpf/rings.h"
#include "runtime/bpf/run_times.h"
#include "runtime/bpf/sampler.h"
#include "runtime/bpf/tracepoint_link.h"
#include "runtime/bpf/trials.h"
#include "runtime/source/bpf_files.h"
#include "runtime/source/bpf_plan.h"
#include "runtime/source/bpf_targets.h"
#include "runtime/source/copied_stacks.h"
#include "runtime/source/event_source.h"
#include "runtime/source/mapping_history.h"
#include "runtime/source/own_rights.h"
#include "runtime/source/registry.h"
#include "runtime/source/user_probes.h"

namespace sonde {
namespace {

constexpr uint32_t kMostNamed = 8192;  ///< tracepoints; kernels have some 2,000
constexpr uint32_t kDeaths = 1024;     ///< processes that end at the same time, by several threads each

/// The pages by which a reader of the kernel's ring buffer says how far it is.
class Waker {
 public:
  Result<void> watch(int map) {
    fd_ = map;
    void* page = mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
    if (page == MAP_FAILED) return Error::from_errno("map the waking buffer");
    consumer_ = static_cast<uint64_t*>(page);
    page = mmap(nullptr, kPage, PROT_READ, MAP_SHARED, map, kPage);
    if (page == MAP_FAILED) return Error::from_errno("map the waking buffer");
    producer_ = static_cast<uint64_t*>(page);
    return {};
  }
  Waker() = default;
  ~Waker() {
    if (consumer_ != nullptr) munmap(consumer_, kPage);
    if (producer_ != nullptr) munmap(producer_, kPage);
  }
  Waker(const Waker&) = delete;
  Waker& operator=(const Waker&) = delete;

  int fd() const { return fd_; }
  /// Whether somebody has woken us since the last call.
  bool take() {
    if (producer_ == nullptr) return false;
    const uint64_t written = std::atomic_ref(*producer_).load(std::memory_order_acquire);
    if (*consumer_ == written) return false;
    std::atomic_ref(*consumer_).store(written, std::memory_order_release);
    return true;
  }

 private:
  int fd_ = -1;
  uint64_t* consumer_ = nullptr;
  uint64_t* producer_ = nullptr;
};

/// Those of user_probes.h.
bool is_code_tap(const Tap& tap) { return is_user_tap(tap.kind) || sonde_tap_of_kernel_function(tap.kind) != 0; }

Result<void> add_events(int epoll, int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0) return {};
  return Error::from_errno("wait for events");
}

class BpfSource final : public EventSource {
 public:
  explicit BpfSource(const SourceOptions& options) : targets_(options) {
    if (bpf::find_kprobe_link()) return;
    can_.taps.erase(SONDE_TAP_KERNEL_ENTRY);
    can_.taps.erase(SONDE_TAP_KERNEL_RETURN);
  }
  std::string_view name() const override { return kBpfRow.name; }
  const SourceCapabilities& capabilities() const override { return can_; }
  Result<void> create_buffers(uint64_t bytes) override;
  std::span<const MappedRing> mapped_rings() override { return mapped_; }
  Result<void> load_programs(std::span<const Loading> programs) override;
  Result<void> add_ecbs(std::span<const Ecb> ecbs) override;
  Result<void> remove_ecbs(std::span<const Epid> epids) override;
  Result<void> arm(std::span<const Tap> taps) override;
  Result<void> disarm(std::span<const TapId> taps) override;
  void take_folded(const std::function<void(const FoldedFirings&)>& each) override;
  TargetControl* targets() override { return &targets_; }
  Result<void> report_files(std::string_view wildcard) override;
  Result<void> report_files_of(uint32_t pid) override;
  int event_fd() const override { return events_.get(); }
  Result<std::optional<SourceEvent>> next_event() override;
  void finish_record(sonde_record& record, std::span<const uint8_t> kinds) override;
  Result<sonde_statistics> statistics() override;

 private:
  /// What is attached to a tracepoint.
  struct Attached {
    uint32_t index = 0;  ///< of its program in the map of programs
    bpf::TracepointLink how = bpf::TracepointLink::Raw;
    UniqueFd stub, link;  ///< once there is a program
    UniqueFd program, chain;
    uint64_t misses = 0;  ///< of the stub, that have been counted
  };

  /// A hook's program and the chain of its later parts; none: no ECB fires there.
  struct Built {
    UniqueFd program, chain;
  };

  UserProbes::Session session() const { return {programs_, ecbs_}; }
  Result<void> rebuild_all();
  Result<void> arm_users(std::span<const Tap> taps);
  Result<bpf::World> world_of_users();
  Result<void> rebuild_users();
  Result<void> rebuild(uint32_t hook);
  Result<void> rebuild_named();
  Result<void> rebuild_samplers();
  Result<Built> build(bpf::Hook hook, const char* name, std::span<const PlannedSection> plan,
                      std::vector<TracepointArgument> arguments = {},
                      bpf::TracepointLink how = bpf::TracepointLink::Raw);
  Result<bpf::TracepointLink> choose_link(bpf::Hook hook);
  int programs_of(bpf::TracepointLink how) const {
    return how == bpf::TracepointLink::Event ? event_programs_map_.get() : programs_map_.get();
  }
  Result<UniqueFd> make_table(std::span<const PlannedSection> plan);
  Result<void> attach(Attached& hook, const char* tracepoint);
  Result<void> replace(Attached& hook, const char* tracepoint, Built built);
  Result<bpf::World> world();
  Result<void> follow_run_times(const sonde_dif_program& fire);
  Result<void> try_thread_variables(std::span<const bpf::FirePart> programs);
  void count_misses();
  Result<void> watch_cpus();
  std::optional<SourceEvent> greet_cpus();
  Result<void> watch_processes();
  Result<void> watch_files();
  void take_process_news();

  SourceCapabilities can_ = kBpfRow.can;
  std::optional<bpf::KernelLayout> layout_;
  bpf::Rings rings_;
  std::vector<MappedRing> mapped_;
  Waker waker_;
  UniqueFd programs_map_, event_programs_map_, threads_, deaths_;
  bool threads_tried_ = false;
  std::optional<bpf::RunTimes> run_times_;
  std::map<uint32_t, LoadedPart> programs_;
  std::map<uint32_t, Ecb> ecbs_;  ///< by epid
  std::map<uint32_t, Tap> taps_;  ///< by id
  std::array<Attached, bpf::kHookCount> hooks_;
  std::map<std::string, Attached> named_;      ///< tracepoints that taps name
  std::map<uint32_t, bpf::Sampler> samplers_;  ///< by tap
  std::optional<bpf::CpuNews> cpu_news_;
  std::optional<bpf::ProcessNews> process_news_;  ///< once one of the next two needs it
  std::optional<BpfFiles> files_;                 ///< once somebody has asked for files that are mapped later
  MappingHistory* history_ = nullptr;             ///< of stacks_, once a program has stacks of users
  CopiedStacks stacks_;
  std::deque<SourceEvent> told_;  ///< not taken yet
  UniqueFd events_;               ///< an epoll of all that has events
  BpfTargets targets_;
  bpf::Trials trials_;
  UserProbes users_{trials_};
  UniqueFd news_;  ///< an eventfd: a notice waits
};

Result<void> BpfSource::create_buffers(uint64_t bytes) {
  auto rings = bpf::Rings::create(bytes);
  if (!rings) return std::move(rings).error();
  rings_ = std::move(*rings);
  mapped_ = rings_.take_mapped();
  events_.reset(epoll_create1(EPOLL_CLOEXEC));
  news_.reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!events_ || !news_) return Error::from_errno("wait for events");
  if (auto watched = waker_.watch(rings_.wake_map()); !watched) return watched;
  if (auto added = add_events(events_.get(), waker_.fd()); !added) return added;
  if (auto added = add_events(events_.get(), news_.get()); !added) return added;
  if (auto reported = targets_.report_to(events_.get()); !reported) return reported;
  return watch_cpus();
}

/// Without news of CPUs, as in some containers, those that come later fire no samples.
Result<void> BpfSource::watch_cpus() {
  auto news = bpf::CpuNews::open();
  if (!news) return {};
  cpu_news_ = std::move(*news);
  return add_events(events_.get(), cpu_news_->fd());
}

/// CPUs have come online: starts their clocks. Returns what the user must know.
std::optional<SourceEvent> BpfSource::greet_cpus() {
  std::string text;
  for (const uint32_t cpu : cpu_news_->take()) {
    if (cpu >= rings_.cpus())
      text = "CPU " + std::to_string(cpu) +
             " came online and has no buffer: what happens there is counted as drops on CPU 0";
    for (auto& [tap, sampler] : samplers_)
      if (auto started = sampler.start_on(cpu); !started) text = started.error().message();
  }
  return text.empty() ? std::nullopt : std::optional<SourceEvent>(Notice{text});
}

Result<void> BpfSource::watch_processes() {
  if (process_news_) return {};
  auto news = bpf::ProcessNews::open();
  if (!news) return std::move(news).error();
  for (const int fd : news->fds())
    if (auto added = add_events(events_.get(), fd); !added) return added;
  process_news_ = std::move(*news);
  return {};
}

Result<void> BpfSource::watch_files() {
  if (files_) return {};
  if (auto watched = watch_processes(); !watched) return watched;
  files_.emplace();  // behind the news, so that what is mapped meanwhile is there or is reported
  return {};
}

/// Takes all news that there are: those of a record's process, before its stack is walked.
void BpfSource::take_process_news() {
  while (auto event = process_news_ ? process_news_->take() : std::nullopt) {
    const auto* mapping = std::get_if<bpf::NewMapping>(&*event);
    if (files_ && mapping != nullptr)
      if (auto told = files_->note(*mapping)) told_.emplace_back(std::move(*told));
    if (history_ != nullptr) history_->note(*event);
  }
  const uint64_t lost = process_news_ ? process_news_->take_lost() : 0;
  if (lost == 0) return;
  const std::string what = "the kernel lost " + std::to_string(lost) + " news of processes: ";
  if (files_) told_.emplace_back(Notice{what + "probes in files that were new among these are not traced"});
  if (history_ == nullptr) return;
  history_->note_lost(monotonic_now());
  told_.emplace_back(Notice{what + "stacks of these processes may lack names"});
}

void BpfSource::finish_record(sonde_record& record, std::span<const uint8_t> kinds) {
  take_process_news();
  stacks_.finish(record, kinds);
}

Result<void> BpfSource::report_files(std::string_view wildcard) {
  if (auto watched = watch_files(); !watched) return watched;
  files_->want(wildcard);
  return {};
}

Result<void> BpfSource::report_files_of(uint32_t pid) {
  if (auto watched = watch_files(); !watched) return watched;
  files_->want_of(pid);
  return {};
}

/// What all programs need; made when the first one is.
Result<bpf::World> BpfSource::world() {
  if (!layout_) {
    auto layout = bpf::KernelLayout::read();
    if (!layout) return std::move(layout).error();
    auto threads = bpf::create_thread_map("threads", SONDE_DIF_THREAD);
    if (!threads) return std::move(threads).error();
    auto programs = bpf::create_map("programs", {BPF_MAP_TYPE_PROG_ARRAY, 4, 4, bpf::kHookCount + kMostNamed, 0});
    if (!programs) return std::move(programs).error();
    auto by_event = bpf::create_map("programs", {BPF_MAP_TYPE_PROG_ARRAY, 4, 4, bpf::kHookCount, 0});
    if (!by_event) return std::move(by_event).error();
    auto deaths = bpf::create_map("deaths", {BPF_MAP_TYPE_LRU_HASH, 16, 8, kDeaths, 0});
    if (!deaths) return std::move(deaths).error();
    deaths_ = std::move(*deaths);
    layout_ = std::move(*layout);
    threads_ = std::move(*threads);
    programs_map_ = std::move(*programs);
    event_programs_map_ = std::move(*by_event);
  }
  bpf::World all{&*layout_, &rings_, threads_.get(), 0, deaths_.get()};
  if (run_times_) {
    all.words_map = run_times_->words();
    all.last_read_map = run_times_->last_read();
  }
  return all;
}

/// Begins to follow the processor time of threads, if a fire part reads it.
Result<void> BpfSource::follow_run_times(const sonde_dif_program& fire) {
  if (run_times_ || (sonde_dif_needs(&fire).variables >> SONDE_DIF_VAR_VTIMESTAMP & 1) == 0) return {};
  if (auto shared = world(); !shared) return std::move(shared).error();
  auto begun = bpf::RunTimes::begin(*layout_);
  if (!begun) return std::move(begun).error().context("follow vtimestamp");
  run_times_ = std::move(*begun);
  return {};
}

/// Some kernels make no memory for thread variables in a program: from 7.0 on, on processors without cmpxchg16b, as an
/// emulated one may be. So before the first program that has some, this thread gets its own.
Result<void> BpfSource::try_thread_variables(std::span<const bpf::FirePart> programs) {
  const auto has_some = [](const bpf::FirePart& one) {
    return (sonde_dif_needs(one.program).ready & SONDE_NEED_THREAD) != 0;
  };
  if (threads_tried_ || std::ranges::none_of(programs, has_some)) return {};
  const UniqueFd self(static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0)));
  const int key = self.get();
  const std::array<uint64_t, SONDE_DIF_THREAD> none{};
  auto kept = bpf::update_map(threads_.get(), &key, none.data());
  if (!kept) return std::move(kept).error().context("this kernel keeps no self-> variables for programs");
  threads_tried_ = true;
  return {};
}

Result<void> BpfSource::load_programs(std::span<const Loading> programs) {
  for (const Loading& one : programs) {
    auto copy = parse_program(encode_program(one.program));
    if (!copy) return std::move(copy).error();
    char why[200];
    if (sonde_dif_verify(&copy->view, why, sizeof why) != 0) return Error(why, EINVAL);
    if (auto followed = follow_run_times(copy->view); !followed) return followed;
    // Without permission for the news, names come from /proc alone.
    const bool has_stacks = std::ranges::find(copy->kinds, SONDE_SLOT_STACK) != copy->kinds.end();
    if (has_stacks && history_ == nullptr && watch_processes()) history_ = &stacks_.keep_history();
    programs_[one.id.value] = {std::move(*copy), one.fold, one.urgent, one.signals};
  }
  return {};
}

Result<void> BpfSource::add_ecbs(std::span<const Ecb> ecbs) {
  for (const Ecb& ecb : ecbs) ecbs_[ecb.epid.value] = ecb;
  auto done = rebuild_all();
  if (!done)
    for (const Ecb& ecb : ecbs) ecbs_.erase(ecb.epid.value);
  return done;
}

Result<void> BpfSource::remove_ecbs(std::span<const Epid> epids) {
  for (const Epid epid : epids) ecbs_.erase(epid.value);
  return rebuild_all();
}

Result<void> BpfSource::arm(std::span<const Tap> taps) {
  std::vector<Tap> users;
  std::ranges::copy_if(taps, std::back_inserter(users), is_code_tap);
  users_.set_origins(targets_.origins());
  const auto of_all = [](const Tap& tap) {
    return !is_code_tap(tap) && tap.kind != SONDE_TAP_TRACEPOINT && tap.kind != SONDE_TAP_COUNTER;
  };
  if (targets_.origins() >= 0 && std::ranges::any_of(taps, of_all))
    return Error("with -c and -p this source traces functions and the kernel only: -x source=" +
                     std::string(kPtraceRow.name) + " traces the rest, too",
                 EOPNOTSUPP);
  for (const Tap& tap : taps)
    if (!is_code_tap(tap)) taps_[tap.id.value] = tap;
  auto done = rebuild_all();
  if (done && !users.empty()) done = arm_users(users);
  if (!done) {
    for (const Tap& tap : taps) taps_.erase(tap.id.value);
    (void)rebuild_all();
  }
  return done;
}

Result<bpf::World> BpfSource::world_of_users() {
  auto shared = world();
  std::vector<bpf::FirePart> parts;
  for (const auto& [id, program] : programs_) parts.push_back(program.part());
  if (auto kept = shared ? try_thread_variables(parts) : Result<void>(); !kept) return std::move(kept).error();
  return shared;
}

Result<void> BpfSource::arm_users(std::span<const Tap> taps) {
  auto shared = world_of_users();
  if (!shared) return std::move(shared).error();
  auto done = users_.arm(taps, session(), *shared);
  eventfd_write(news_.get(), 1);  // there may be a notice
  return done;
}

Result<void> BpfSource::disarm(std::span<const TapId> taps) {
  for (const TapId tap : taps) taps_.erase(tap.value);
  users_.disarm(taps);
  auto done = rebuild_all();
  bpf::wait_for_programs();
  count_misses();
  return done;
}

Result<void> BpfSource::rebuild_all() {
  for (uint32_t hook = 0; hook < bpf::kHookCount; hook++)
    if (auto done = rebuild(hook); !done) return done;
  if (auto done = rebuild_named(); !done) return done;
  if (auto done = rebuild_samplers(); !done) return done;
  return rebuild_users();
}

/// Each tap of samples has counters and a program of its own.
Result<void> BpfSource::rebuild_samplers() {
  std::erase_if(samplers_, [this](const auto& one) { return !taps_.contains(one.first); });
  for (const auto& [id, tap] : taps_) {
    if (!bpf::is_sample(tap.kind)) continue;
    auto built = build(bpf::Hook::Sample, "sample", plan_tap(tap, ecbs_));
    if (!built) return std::move(built).error();
    const bool by_clock = tap.kind == SONDE_TAP_PROFILE && built->program;
    if (auto right = by_clock ? trials_.clock() : Result<void>(); !right) return right;
    const bpf::CounterOfCpu counter = bpf::counter_of(tap.kind, tap.number, tap.function, tap.offset, tap.path);
    bpf::Sampler& sampler = samplers_.try_emplace(id, counter).first->second;
    if (!built->program)
      sampler.stop();
    else if (auto runs = sampler.run(std::move(built->program), std::move(built->chain)); !runs)
      return runs;
  }
  return {};
}

Result<void> BpfSource::rebuild_users() {
  if (users_.empty()) return {};
  auto shared = world_of_users();
  if (!shared) return std::move(shared).error();
  return users_.rebuild(session(), *shared);
}

/// Makes the program of all that has a tap at this tracepoint.
Result<void> BpfSource::rebuild(uint32_t hook) {
  const auto which = static_cast<bpf::Hook>(hook);
  const auto plan = plan_hook(which, taps_, ecbs_);
  Attached& attached = hooks_[hook];
  if (plan.empty() && !attached.program) return {};
  auto how = plan.empty() ? attached.how : choose_link(which);
  if (!how) return std::move(how).error();
  auto built = build(which, bpf::kHookRows[hook].program, plan, {}, *how);
  if (!built) return std::move(built).error();
  if (attached.how != *how)  // what comes in between is not seen
    if (auto gone = replace(attached, bpf::kHookRows[hook].tracepoint, Built()); !gone) return gone;
  attached.index = hook;
  attached.how = *how;
  return replace(attached, bpf::kHookRows[hook].tracepoint, std::move(*built));
}

/// Where a thread may lose its CPU within the program of a raw tracepoint, the kernel leaves out what other threads do on
/// that CPU until it goes on. At an event of perf it keeps its CPU; but meanwhile the kernel takes no samples of it, and
/// tells nobody. So who takes samples, too, has the raw tracepoint, whose losses are counted.
Result<bpf::TracepointLink> BpfSource::choose_link(bpf::Hook hook) {
  const auto samples = [](const auto& tap) { return bpf::is_sample(tap.second.kind); };
  if (bpf::kHookRows[static_cast<size_t>(hook)].event != nullptr && std::ranges::none_of(taps_, samples)) {
    if (auto shared = world(); !shared) return std::move(shared).error();
    const auto keeps = trials_.keeping_cpu(hook, *layout_);
    const bool loses = !keeps && keeps.error().code() == EOPNOTSUPP;
    if (loses && trials_.tracepoint(hook, bpf::TracepointLink::Event)) return bpf::TracepointLink::Event;
  }
  if (auto right = trials_.tracepoint(hook); !right) return std::move(right).error();
  return bpf::TracepointLink::Raw;
}

/// The same for each tracepoint that a tap names.
Result<void> BpfSource::rebuild_named() {
  std::map<std::string, std::vector<PlannedSection>> plans = plan_named(taps_, ecbs_);
  for (auto& [name, hook] : named_) plans.try_emplace(name);
  for (const auto& [name, plan] : plans) {
    const auto known = named_.find(name);
    if (plan.empty() && (known == named_.end() || !known->second.program)) continue;
    if (auto shared = world(); !shared) return std::move(shared).error();
    auto arguments = layout_->tracepoint(name);
    if (!arguments) return std::move(arguments).error();
    auto built = build(bpf::Hook::Named, "named", plan, std::move(*arguments));
    if (!built) return std::move(built).error().context("tracepoint " + name);
    Attached& hook = named_[name];
    if (known == named_.end()) hook.index = bpf::kHookCount + static_cast<uint32_t>(named_.size()) - 1;
    if (hook.index >= bpf::kHookCount + kMostNamed) return Error("too many tracepoints for this source", E2BIG);
    if (auto done = replace(hook, name.c_str(), std::move(*built)); !done) return done;
  }
  return {};
}

Result<UniqueFd> BpfSource::make_table(std::span<const PlannedSection> plan) {
  size_t columns = 0;
  for (const PlannedSection& section : plan) columns = std::max(columns, section.programs.size());
  const uint32_t bytes = bpf::row_bytes(columns), rows = bpf::kCalls + static_cast<uint32_t>(plan.size());
  auto table = bpf::create_map("table", {BPF_MAP_TYPE_ARRAY, 4, bytes, rows, 0});
  if (!table) return table;
  for (const PlannedSection& section : plan) {
    for (const auto& [number, row] : section.rows) {
      std::vector<uint32_t> words = row;
      words.resize(bytes / sizeof(uint32_t));
      if (auto done = bpf::update_map(table->get(), &number, words.data()); !done) return std::move(done).error();
    }
  }
  return table;
}

Result<BpfSource::Built> BpfSource::build(bpf::Hook hook, const char* name, std::span<const PlannedSection> plan,
                                          std::vector<TracepointArgument> arguments, bpf::TracepointLink how) {
  if (plan.empty()) return Built();
  auto shared = world();
  if (!shared) return std::move(shared).error();
  shared->link = how;
  auto table = make_table(plan);
  if (!table) return std::move(table).error();
  bpf::HookProgram wanted{hook, {}, table->get(), static_cast<uint32_t>(getpid()), std::move(arguments)};
  for (const PlannedSection& section : plan) {
    bpf::Section one{section.kind, section.row, {}};
    for (const uint32_t program : section.programs) one.columns.push_back(programs_.at(program).part());
    if (auto kept = try_thread_variables(one.columns); !kept) return std::move(kept).error();
    wanted.sections.push_back(std::move(one));
  }
  const bool sample = hook == bpf::Hook::Sample;
  auto loaded = bpf::load_hook(name, wanted, *shared, sample ? BPF_PROG_TYPE_PERF_EVENT : bpf::program_type(how));
  if (!loaded) return std::move(loaded).error();
  return Built{std::move(loaded->program), std::move(loaded->chain)};
}

Result<void> BpfSource::replace(Attached& hook, const char* tracepoint, Built built) {
  count_misses();
  if (built.program) {
    const auto fd = static_cast<uint32_t>(built.program.get());
    if (auto done = bpf::update_map(programs_of(hook.how), &hook.index, &fd); !done) return done;
  }
  if (!built.program) {
    hook.link.reset();
    hook.stub.reset();
    hook.misses = 0;
  }
  if (hook.chain) bpf::wait_for_programs();  // who is in its first part must find the others
  hook.program = std::move(built.program);
  hook.chain = std::move(built.chain);
  if (hook.program && !hook.link) return attach(hook, tracepoint);
  return {};
}

Result<void> BpfSource::attach(Attached& hook, const char* tracepoint) {
  auto stub = bpf::load_program("stub", bpf::build_stub(programs_of(hook.how), hook.index, hook.how),
                                bpf::program_type(hook.how));
  if (!stub) return std::move(stub).error();
  auto link = hook.how == bpf::TracepointLink::Event
                  ? bpf::attach_hook(static_cast<bpf::Hook>(hook.index), hook.how, stub->get())
                  : bpf::attach_raw_tracepoint(tracepoint, stub->get());
  if (!link) return std::move(link).error();
  hook.stub = std::move(*stub);
  hook.link = std::move(*link);
  return {};
}

/// Adds what the kernel has left out since the last time to the drops of the first ring.
void BpfSource::count_misses() {
  const auto count = [this](Attached& hook) {
    if (!hook.stub || mapped_.empty()) return;
    auto misses = bpf::recursion_misses(hook.stub.get());
    if (!misses || *misses <= hook.misses) return;
    std::atomic_ref(mapped_.front()->drops).fetch_add(*misses - hook.misses, std::memory_order_relaxed);
    hook.misses = *misses;
  };
  for (Attached& hook : hooks_) count(hook);
  for (auto& [name, hook] : named_) count(hook);
  if (mapped_.empty()) return;
  if (const uint64_t misses = users_.take_misses(); misses > 0)
    std::atomic_ref(mapped_.front()->drops).fetch_add(misses, std::memory_order_relaxed);
}

void BpfSource::take_folded(const std::function<void(const FoldedFirings&)>& each) {
  for (bpf::FoldTables& tables : rings_.folded())
    tables.take([&each](const sonde_record& record, uint64_t firings, std::span<const int64_t> words) {
      each({record, firings, words});
    });
}

Result<std::optional<SourceEvent>> BpfSource::next_event() {
  if (auto seen = stacks_.take_mapping()) return std::optional<SourceEvent>(std::move(*seen));
  if (cpu_news_)
    if (auto told = greet_cpus()) return told;
  if (std::string text = users_.take_notice(); !text.empty())
    return std::optional<SourceEvent>(Notice{std::move(text)});
  if (auto ended = targets_.next_event()) return ended;
  take_process_news();
  if (!told_.empty()) {
    SourceEvent first = std::move(told_.front());
    told_.pop_front();
    return std::optional<SourceEvent>(std::move(first));
  }
  eventfd_t told = 0;
  (void)eventfd_read(news_.get(), &told);
  if (!waker_.take()) return std::optional<SourceEvent>();
  count_misses();
  return std::optional<SourceEvent>(DataWaits{});
}

Result<sonde_statistics> BpfSource::statistics() {
  count_misses();
  sonde_statistics counted{};
  for (const MappedRing& ring : mapped_) counted.drops += std::atomic_ref(ring->drops).load(std::memory_order_relaxed);
  counted.firings = 1;  // a predicate that says no leaves no trace: nobody may conclude that all was recorded
  return counted;
}

}  // namespace

Result<std::unique_ptr<EventSource>> open_bpf_source(const SourceOptions& options) {
  if (auto may = may_use_bpf(); !may) return std::move(may).error();
  return std::unique_ptr<EventSource>(std::make_unique<BpfSource>(options));
}

}  // namespace sonde
