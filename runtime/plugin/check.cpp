// SPDX-License-Identifier: GPL-3.0-or-later
// The life of a plug-in, checked step by step
//
//   start --> D texts compile? --> the command waits, a target --> provide, with the author's descriptions --> getargdesc, types, translators;
//   what enabling would arm --> enable --> fire --> suspend, resume --> disable --> silence? --> probes that have come meanwhile -->
//   enable, disable again --> stop --> providers, threads left?
//
// Taps are armed if there is a command to trace, else only listed. What needs a compiler or a source is done by the
// CheckBench.
#include "runtime/plugin/check.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>

#include "kmod/shared/dif.h"
#include "runtime/framework/observers.h"
#include "runtime/framework/op_scope.h"
#include "runtime/plugin/last_words.h"
#include "runtime/plugin/plugin.h"

namespace sonde {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kListening{500}, kSilence{100};
constexpr size_t kMostDescriptions = 500;  ///< of arguments; to compile one takes some ms
constexpr size_t kLater = 4096;            ///< probes that may appear and fire while the command runs
constexpr Trial::Patience kPatience{std::chrono::seconds(60), std::chrono::seconds(300), std::chrono::seconds(300)};

#define SONDE_TAP_NAME(name, ...) #name,
constexpr const char* kTapNames[] = {SONDE_TAP_KINDS(SONDE_TAP_NAME, SONDE_NO_ROLE)};
#undef SONDE_TAP_NAME

/// What a probe did. Firings come from any thread.
struct Heard {
  std::atomic<uint64_t> firings{0};
  std::atomic<uint64_t> first[5] = {};
};
std::deque<Heard>* g_heard = nullptr;  ///< index: probe id - 1
std::atomic<bool> g_may_fire{false};
std::atomic<uint32_t> g_fired_late{0};  ///< a probe that fired while no probe was enabled

void hear(uint32_t probe, const uint64_t args[5]) {
  if (probe == 0 || probe > g_heard->size()) return;
  Heard& heard = (*g_heard)[probe - 1];
  if (!g_may_fire) g_fired_late = probe;
  if (heard.firings.fetch_add(1) != 0) return;
  for (int i = 0; i < 5; i++) heard.first[i] = args[i];
}

/// Records nothing, but reads all arguments, so that dtps_getargval is called.
std::shared_ptr<const FireProgram> read_arguments() {
  auto program = std::make_shared<FireProgram>();
  for (int number = 0; number < static_cast<int>(SONDE_DIF_ARGS); number++)
    program->insns.push_back({SONDE_DIF_ARG, 0, 0, 0, number});
  program->insns.push_back({SONDE_DIF_RECORD});
  sonde_dif_program view = program->view();
  char why[200] = "";
  SONDE_CHECK(sonde_dif_verify(&view, why, sizeof why) == 0);
  program->record_max = view.record_max;
  return program;
}

size_t thread_count() {
  std::error_code none;
  return static_cast<size_t>(std::distance(fs::directory_iterator("/proc/self/task", none), {}));
}

class Check {
 public:
  Check(const CheckRequest& request, CheckBench& bench, Progress& progress)
      : path_(request.path), command_(request.command), bench_(bench), progress_(progress) {}

  void run() {
    progress_.doing("its constructors");
    const auto plugin = opened();
    const size_t threads = thread_count();
    const std::vector<std::string> before = framework_.providers();
    progress_.doing("start()");
    if (auto started = start_plugin(*plugin, framework_); !started) progress_.fail(started.error().message());
    std::ranges::copy_if(framework_.providers(), std::inserter(started_, started_.end()),
                         [&](const std::string& name) { return std::ranges::find(before, name) == before.end(); });
    compile_texts(*plugin);
    hold_command();
    framework_.listing = true;  // includes probes that are refused
    ask_for_probes();
    look_at_probes();
    provide_again();
    framework_.listing = false;
    fire();
    if (!all_described_)
      std::printf("  %zu different descriptions of arguments were compiled, and not the rest\n", kMostDescriptions);
    progress_.doing("stop()");
    stop_plugin(*plugin);
    if (const auto left = own_providers(); !left.empty())
      progress_.fail("stop() leaves the provider " + left.front() + " registered");
    if (thread_count() > threads)
      progress_.fail("stop() leaves " + std::to_string(thread_count() - threads) + " threads behind");
    std::printf("%s: %zu probes, nothing wrong%s\n", file_name().c_str(), probes_.size(),
                probes_.empty() ? ": -c COMMAND gives it a target, -n DESCRIPTION asks for probes" : "");
  }

 private:
  std::string file_name() const { return fs::path(path_).filename(); }

  const struct sonde_plugin* opened() {
    auto plugin = open_plugin(path_);
    if (!plugin) progress_.fail(plugin.error().message());
    note_code(*plugin, plugin_of(*plugin));
    std::printf("%s: provider interface %u\n", file_name().c_str(), (*plugin)->abi);
    return *plugin;
  }

  /// Those that start() has registered, and those that hooks and ops have: the built-in ones grow with targets, too.
  std::vector<std::string> own_providers() const {
    std::vector<std::string> names = framework_.providers();
    std::erase_if(names, [&, later = framework_.providers_of(file_name())](const std::string& name) {
      return !started_.contains(name) && std::ranges::find(later, name) == later.end();
    });
    return names;
  }

  void compile_texts(const struct sonde_plugin& plugin) {
    progress_.doing("its D texts");
    std::vector<std::pair<std::string, std::string>> texts;
    for (const sonde_text* text = plugin.texts; text != nullptr && text->file != nullptr; text++) {
      std::printf("  D text %s, %zu bytes\n", text->file, std::string_view(text->text).size());
      texts.emplace_back(file_name() + ":" + text->file, text->text);
    }
    if (const auto wrong = bench_.wrong_texts(texts); !wrong.empty())
      progress_.fail("its D text " + wrong.front() + " does not compile");
  }

  void hold_command() {
    if (command_.empty()) return;
    progress_.doing("its hooks, for the target " + command_[0]);
    if (auto held = bench_.hold(command_, own_providers()); !held)
      progress_.fail(command_[0] + " cannot be started: " + held.error().message());
  }

  void ask_for_probes() {
    progress_.doing("dtps_provide, for the description of -n");
    auto asked = bench_.asked_for();
    if (!asked) {
      const std::string why = asked.error().message();
      progress_.fail(why.substr(0, why.find_last_not_of('\n') + 1));
    }
    asked_ = std::move(*asked);
  }

  std::string name_of(ProbeId id) const {
    const ProbeInfo& info = framework_.info(id);
    return info.provider + ":" + info.module + ":" + info.function + ":" + info.name;
  }

  /// The probes of the plug-in, and those that -n asks for, which have not been looked at.
  std::vector<ProbeId> new_probes() {
    progress_.doing("dtps_provide");
    std::set<ProbeId> found;
    const auto add = [&](const ProbeDescription& description) {
      for (ProbeId id : framework_.match(description)) found.insert(id);
    };
    for (const std::string& provider : own_providers()) add({provider, "", "", "", {}});
    for (const ProbeDescription& description : asked_) add(description);
    std::vector<ProbeId> fresh;
    std::ranges::set_difference(found, probes_, std::back_inserter(fresh));
    return fresh;
  }

  void look_at_probes() {
    for (ProbeId id : new_probes()) {
      probes_.insert(id);
      look_at_arguments(id);
      if (const std::string why = framework_.refusal(id); !why.empty()) {
        std::printf("    cannot be armed: %s\n", why.c_str());
        continue;
      }
      progress_.doing("dtps_enable or dtps_disable of " + name_of(id));
      const std::vector<Tap> taps = framework_.taps(id);
      for (const Tap& tap : taps) look_at(tap);
      if (taps.empty()) local_.push_back(id);
    }
  }

  void look_at_arguments(ProbeId id) {
    progress_.doing("dtps_getargdesc of " + name_of(id));
    std::printf("  %s(", name_of(id).c_str());
    const std::vector<ArgumentDescription> arguments = framework_.arguments(id);
    const char* comma = "";
    for (const ArgumentDescription& one : arguments) {
      const std::string& type = one.translated.empty() ? one.native : one.translated;
      std::printf("%s%s args[%d]", std::exchange(comma, ", "), type.c_str(), one.index);
    }
    std::printf(")\n");
    for (const ArgumentDescription& one : arguments)
      if (const std::string why = wrong_with(id, one); !why.empty())
        progress_.fail("dtps_getargdesc of " + name_of(id) + ": " + why);
  }

  /// Each description is compiled once, whatever the number of probes that have it, and not more than kMostDescriptions.
  std::string wrong_with(ProbeId id, const ArgumentDescription& argument) {
    if (argument.mapping >= static_cast<int>(SONDE_DIF_ARGS) && argument.mapping != SONDE_ARGUMENT_LOCATED)
      return "args[" + std::to_string(argument.index) + "] is made from arg" + std::to_string(argument.mapping) +
             ", and the last is arg9";
    if (described_.size() >= kMostDescriptions) {
      all_described_ = false;
      return {};
    }
    if (!described_.insert({argument.native, argument.translated, argument.mapping < 0}).second) return {};
    return bench_.wrong_argument(id, argument.index);
  }

  void look_at(const Tap& tap) {
    std::printf("    tap %s", kTapNames[tap.kind]);
    if (tap.path.empty()) {
      std::printf("\n");
      return;
    }
    std::printf(" %s+0x%llx\n", tap.path.c_str(), static_cast<unsigned long long>(tap.offset));
    struct stat file {};
    if (tap.path.starts_with("[")) return;
    if (::stat(tap.path.c_str(), &file) != 0) progress_.fail("a tap is of " + tap.path + ", which is not there");
    if (tap.offset >= static_cast<uint64_t>(file.st_size)) progress_.fail("a tap lies beyond the end of " + tap.path);
  }

  void provide_again() {
    progress_.doing("dtps_provide with a description");
    for (const std::string& provider : own_providers())
      (void)framework_.match({provider, "", "", "sonde-check-no-such-probe", {}});
    progress_.doing("dtps_provide_module");
    (void)framework_.modules_appeared({&path_, 1});
  }

  /// Enables what fires by dtrace_probe().
  std::vector<uint32_t> enable_local() {
    Enabling enabling{{}, 0, read_arguments(), false};
    for (ProbeId id : local_) enabling.descriptions.push_back({"", "", "", "", id});
    auto enabled = framework_.enable(enabling);
    if (!enabled) progress_.fail("its probes cannot be enabled: " + enabled.error().message());
    return {*enabled};
  }

  void disable(const std::vector<uint32_t>& enablings) {
    progress_.doing("dtps_disable");
    if (auto done = framework_.disable_all(enablings); !done) progress_.fail(done.error().message());
    g_may_fire = false;
    std::this_thread::sleep_for(kSilence);
    if (g_fired_late != 0)
      progress_.fail("calls dtrace_probe() for " + name_of({g_fired_late}) + " after dtps_disable");
  }

  void fire() {
    if (local_.empty() && command_.empty()) return;
    std::deque<Heard> heard(framework_.probe_count() + (probes_.empty() ? 0 : probes_.rbegin()->value) + kLater);
    g_heard = &heard;
    static ProviderObservers observers = *g_provider_observers.load();
    observers.fired = hear;
    g_provider_observers = &observers;
    g_may_fire = true;
    progress_.doing("dtps_enable");
    const std::vector<uint32_t> enablings = command_.empty() ? enable_and_listen() : trace();
    disable(enablings);
    look_at_probes();  // those that came while the command ran
    report(heard);
    g_may_fire = true;
    progress_.doing("dtps_enable, the second time");
    disable(enable_local());
  }

  std::vector<uint32_t> enable_and_listen() {
    const std::vector<uint32_t> enablings = enable_local();
    progress_.doing("its threads, while probes are enabled");
    std::this_thread::sleep_for(kListening);
    progress_.doing("dtps_suspend or dtps_resume");
    framework_.suspend();
    framework_.resume();
    return enablings;
  }

  /// Counts a record of several enablings of one probe once.
  void count(ProbeId probe, Epid epid) {
    auto& [first, firings] = tapped_.try_emplace(probe, epid, 0).first->second;
    if (first == epid) firings++;
  }

  std::vector<uint32_t> trace() {
    Enabling clause{asked_, 0, read_arguments(), false};
    for (const std::string& provider : own_providers()) clause.descriptions.push_back({provider, "", "", "", {}});
    auto traced = bench_.trace(clause, [this](ProbeId probe, Epid epid) { count(probe, epid); });
    if (!traced) progress_.fail("its probes cannot be enabled: " + traced.error().message());
    if (const int status = traced->wait_status; WIFSIGNALED(status))
      progress_.fail(command_[0] + " has ended by signal " + std::to_string(WTERMSIG(status)));
    else if (status != 0)
      progress_.fail(command_[0] + " has ended with status " + std::to_string(WEXITSTATUS(status)));
    framework_.resume();  // the end of tracing has suspended
    return traced->enablings;
  }

  void report(const std::deque<Heard>& heard) {
    const std::set<ProbeId> fire_by_themselves(local_.begin(), local_.end());
    for (ProbeId id : probes_) {
      const Heard* own = fire_by_themselves.contains(id) && id.value <= heard.size() ? &heard[id.value - 1] : nullptr;
      if (own == nullptr && (command_.empty() || !framework_.refusal(id).empty())) continue;
      const uint64_t firings = own != nullptr ? own->firings.load() : tapped_[id].second;
      std::printf("  %s fired %llu times", name_of(id).c_str(), static_cast<unsigned long long>(firings));
      for (int i = 0; own != nullptr && i < 5 && firings != 0; i++)
        std::printf("%s%lld", i == 0 ? ", first with " : ", ", static_cast<long long>(own->first[i]));
      std::printf("\n");
    }
    if (!command_.empty() && probes_.empty())
      progress_.fail("it has made no probe, though " + command_[0] + " was traced");
  }

  const std::string& path_;
  const std::vector<std::string>& command_;
  CheckBench& bench_;
  Progress& progress_;
  Framework& framework_ = bench_.framework();
  std::set<std::string> started_;  ///< providers
  std::vector<ProbeDescription> asked_;
  std::set<std::tuple<std::string, std::string, bool>> described_;
  bool all_described_ = true;
  std::set<ProbeId> probes_;
  std::vector<ProbeId> local_;                           ///< those that fire by dtrace_probe()
  std::map<ProbeId, std::pair<Epid, uint64_t>> tapped_;  ///< firings of the others
};

void run_check(const CheckRequest& request, Progress& progress) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // what was printed before a crash is the most useful part
  explain_ends();
  auto bench = request.bench();
  if (!bench) progress.fail(bench.error().message());
  Check(request, **bench, progress).run();
}

}  // namespace

int check_plugin(const CheckRequest& asked) {
  CheckRequest request = asked;
  // A bare name is a file of the current folder; dlopen() would search the system's folders.
  if (request.path.find('/') == std::string::npos) request.path = "./" + request.path;
  auto trial = Trial::begin([&](Progress& progress) { run_check(request, progress); }, Trial::Voice::Heard);
  const std::string wrong = trial ? trial->verdict(kPatience) : trial.error().message();
  if (wrong.empty()) return 0;
  std::fprintf(stderr, "%s: wrong: %s\n", fs::path(request.path).filename().c_str(), wrong.c_str());
  return 1;
}

}  // namespace sonde
