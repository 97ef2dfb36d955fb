// SPDX-License-Identifier: GPL-3.0-or-later
// The life of a plug-in, checked step by step
//
//   start --> provide --> getargdesc, and what enabling would arm --> enable --> fire --> suspend, resume --> disable --> silence? -->
//   enable, disable again --> stop --> providers, threads left?
//
// There is no source here, so taps are listed and not armed: scripts show that they fire.
#include "runtime/plugin/check.h"

#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <string_view>
#include <thread>
#include <utility>

#include "kmod/shared/dif.h"
#include "runtime/framework/observers.h"
#include "runtime/plugin/plugin.h"

namespace sonde {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kListening{500}, kSilence{100};
constexpr Trial::Patience kPatience{std::chrono::seconds(60), std::chrono::seconds(300)};

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

std::shared_ptr<const FireProgram> record_nothing() {
  auto program = std::make_shared<FireProgram>();
  program->insns = {{SONDE_DIF_RECORD}};
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

/// Runs the command to its end, then watches firings a moment longer.
void run_command(const std::vector<std::string>& command, Progress& progress) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t child = 0;
  int status = 0;
  if (const int error = ::posix_spawnp(&child, words[0], nullptr, nullptr, words.data(), environ); error != 0)
    progress.fail(command[0] + " cannot be started: " + std::string(::strerror(error)));
  ::waitpid(child, &status, 0);
  if (status != 0) progress.fail(command[0] + " has ended with status " + std::to_string(WEXITSTATUS(status)));
}

class Check {
 public:
  Check(const std::string& path, Progress& progress) : path_(path), progress_(progress) {}

  void run(const std::vector<std::string>& command) {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);  // what was printed before a crash is the most useful part
    progress_.doing("its constructors");
    const auto plugin = opened();
    const size_t threads = thread_count();
    progress_.doing("start()");
    if (auto started = start_plugin(*plugin, framework_); !started) progress_.fail(started.error().message());
    if (framework_.providers().empty()) progress_.fail("start() registers no provider");
    look_at_probes();
    provide_again();
    if (!local_.empty()) fire(command);
    progress_.doing("stop()");
    stop_plugin(*plugin);
    if (!framework_.providers().empty())
      progress_.fail("stop() leaves the provider " + framework_.providers().front() + " registered");
    if (thread_count() > threads)
      progress_.fail("stop() leaves " + std::to_string(thread_count() - threads) + " threads behind");
    std::printf("%s: %zu probes, nothing wrong\n", fs::path(path_).filename().c_str(), probes_.size());
  }

 private:
  const struct sonde_plugin* opened() {
    auto plugin = open_plugin(path_);
    if (!plugin) progress_.fail(plugin.error().message());
    std::printf("%s: provider interface %u\n", fs::path(path_).filename().c_str(), (*plugin)->abi);
    for (const sonde_text* text = (*plugin)->texts; text != nullptr && text->file != nullptr; text++)
      std::printf("  D text %s, %zu bytes\n", text->file, std::string_view(text->text).size());
    return *plugin;
  }

  std::string name_of(ProbeId id) const {
    const ProbeInfo& info = framework_.info(id);
    return info.provider + ":" + info.module + ":" + info.function + ":" + info.name;
  }

  void look_at_probes() {
    progress_.doing("dtps_provide");
    framework_.listing = true;  // includes probes that are refused
    probes_ = framework_.match({});
    for (ProbeId id : probes_) {
      progress_.doing("dtps_getargdesc of " + name_of(id));
      std::printf("  %s(", name_of(id).c_str());
      const char* comma = "";
      for (const ArgumentDescription& one : framework_.arguments(id)) {
        const std::string& type = one.translated.empty() ? one.native : one.translated;
        std::printf("%s%s args[%d]", std::exchange(comma, ", "), type.c_str(), one.index);
      }
      std::printf(")\n");
      if (const std::string why = framework_.refusal(id); !why.empty()) {
        std::printf("    cannot be armed: %s\n", why.c_str());
        continue;
      }
      progress_.doing("dtps_enable or dtps_disable of " + name_of(id));
      const std::vector<Tap> taps = framework_.taps(id);
      for (const Tap& tap : taps) look_at(tap);
      if (taps.empty()) local_.push_back(id);
    }
    framework_.listing = false;
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
    for (const std::string& provider : framework_.providers())
      (void)framework_.match({provider, "", "", "sonde-check-no-such-probe", {}});
    progress_.doing("dtps_provide_module");
    const std::string path = path_;
    (void)framework_.modules_appeared({&path, 1});
  }

  uint32_t enable() {
    Enabling enabling{{}, 0, record_nothing(), false};
    for (ProbeId id : local_) enabling.descriptions.push_back({"", "", "", "", id});
    auto enabled = framework_.enable(enabling);
    if (!enabled) progress_.fail("its probes cannot be enabled: " + enabled.error().message());
    return *enabled;
  }

  void disable(uint32_t enabling) {
    progress_.doing("dtps_disable");
    if (auto done = framework_.disable(enabling); !done) progress_.fail(done.error().message());
    g_may_fire = false;
    std::this_thread::sleep_for(kSilence);
    if (g_fired_late != 0)
      progress_.fail("calls dtrace_probe() for " + name_of({g_fired_late}) + " after dtps_disable");
  }

  void fire(const std::vector<std::string>& command) {
    std::deque<Heard> heard(framework_.probe_count() + probes_.back().value);
    g_heard = &heard;
    static ProviderObservers observers = *g_provider_observers.load();
    observers.fired = hear;
    g_provider_observers = &observers;
    g_may_fire = true;
    progress_.doing("dtps_enable");
    const uint32_t enabling = enable();
    progress_.doing("its threads, while probes are enabled");
    if (!command.empty()) run_command(command, progress_);
    std::this_thread::sleep_for(kListening);
    progress_.doing("dtps_suspend or dtps_resume");
    framework_.suspend();
    framework_.resume();
    disable(enabling);
    for (ProbeId id : local_) {
      const Heard& of = heard[id.value - 1];
      std::printf("  %s fired %llu times", name_of(id).c_str(), static_cast<unsigned long long>(of.firings));
      for (int i = 0; i < 5 && of.firings != 0; i++)
        std::printf("%s%lld", i == 0 ? ", first with " : ", ", static_cast<long long>(of.first[i]));
      std::printf("\n");
    }
    g_may_fire = true;
    progress_.doing("dtps_enable, the second time");
    disable(enable());
  }

  const std::string& path_;
  Progress& progress_;
  Framework framework_{nullptr};
  std::vector<ProbeId> probes_, local_;
};

}  // namespace

int check_plugin(const std::string& path, const std::vector<std::string>& command) {
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  auto trial = Trial::begin([&](Progress& progress) { Check(file, progress).run(command); }, Trial::Voice::Heard);
  const std::string wrong = trial ? trial->verdict(kPatience) : trial.error().message();
  if (wrong.empty()) return 0;
  std::fprintf(stderr, "%s: wrong: %s\n", fs::path(path).filename().c_str(), wrong.c_str());
  return 1;
}

}  // namespace sonde
