// SPDX-License-Identifier: GPL-3.0-or-later
// sonde --check-provider
#include "runtime/plugin/check.h"

#include "tests/runtime/plugin/support.h"

namespace sonde {
namespace {

using ::testing::HasSubstr;

/// Without a compiler and a source: every description of an argument is right, unless its type is "wrong"; the command
/// runs, and is not traced.
class FakeBench final : public CheckBench {
 public:
  Framework& framework() override { return framework_; }
  std::vector<std::string> wrong_texts(const std::vector<std::pair<std::string, std::string>>& texts) override {
    std::vector<std::string> wrong;
    for (const auto& [file, text] : texts)
      if (text == "wrong") wrong.push_back(file);
    return wrong;
  }
  std::string wrong_argument(ProbeId probe, int index) override {
    std::printf("    asked about args[%d]\n", index);
    return framework_.arguments(probe)[static_cast<size_t>(index)].native == "wrong" ? "no type" : "";
  }
  Result<void> hold(const std::vector<std::string>&, const std::vector<std::string>&) override { return {}; }
  Result<std::vector<ProbeDescription>> asked_for() override { return asked; }
  Result<Traced> trace(const Enabling& clause, const std::function<void(ProbeId, Epid)>& fired) override {
    auto enabled = framework_.enable(clause);
    if (!enabled) return std::move(enabled).error();
    for (const auto& [probe, epid] : records) fired(probe, epid);
    const int status = std::system(command.c_str());
    return Traced{status, {*enabled}};
  }

  static inline std::vector<ProbeDescription> asked;
  static inline std::vector<std::pair<ProbeId, Epid>> records;
  static inline std::string command;

 private:
  Framework framework_{nullptr};
};

class CheckPlugin : public PluginTest {
 protected:
  /// The output and messages of a check, and its status.
  std::string check(const std::string& path, const std::vector<std::string>& command = {}) {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    FakeBench::command.clear();
    for (const std::string& word : command) FakeBench::command += word + " ";
    const int status = check_plugin({path, command, []() -> Result<std::unique_ptr<CheckBench>> {
                                       return std::unique_ptr<CheckBench>(new FakeBench);
                                     }});
    return ::testing::internal::GetCapturedStdout() + ::testing::internal::GetCapturedStderr() + "status " +
           std::to_string(status);
  }
  /// A thread that fires try:::one each millisecond until `flag` is 0.
  static std::string firing(const std::string& more) {
    return R"(
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static pthread_t thread;
static volatile int runs;
static void* run(void* probe) {
  while (runs) { dtrace_probe(*(dtrace_id_t*)probe, 42, 0, 0, 0, 0); usleep(1000); }
  return 0;
}
#define BEGIN_THREAD static dtrace_id_t probe; probe = id; runs = 1; pthread_create(&thread, 0, run, &probe)
#define END_THREAD runs = 0; pthread_join(thread, 0)
#define IN_ENABLE BEGIN_THREAD
)" + more;
  }
};

TEST_F(CheckPlugin, SaysWhatFires) {
  const std::string said = check(provider("fires", firing("#define IN_DISABLE END_THREAD")));
  EXPECT_THAT(said, HasSubstr("fires.so: provider interface 3\n"));
  EXPECT_THAT(said, HasSubstr("  try:::one()\n"));
  EXPECT_THAT(said, HasSubstr("times, first with 42, 0, 0, 0, 0\n"));
  EXPECT_THAT(said, HasSubstr("fires.so: 1 probes, nothing wrong\nstatus 0"));
}

TEST_F(CheckPlugin, FiresAfterDisable) {
  EXPECT_THAT(check(provider("late", firing(""))),
              HasSubstr("late.so: wrong: calls dtrace_probe() for try:::one after dtps_disable\nstatus 1"));
}

TEST_F(CheckPlugin, LeavesThreads) {
  const std::string idle =
      "#include <pthread.h>\n#include <unistd.h>\nstatic void* sleep_long(void* a) { sleep(100); return a; }\n"
      "#define IN_START pthread_t one_more; pthread_create(&one_more, 0, sleep_long, 0)\n";
  EXPECT_THAT(check(provider("thread", idle)), HasSubstr("thread.so: wrong: stop() leaves 1 threads behind\nstatus 1"));
}

TEST_F(CheckPlugin, LeavesItsProvider) {
  EXPECT_THAT(check(provider("stays", "#define IN_STOP")),
              HasSubstr("wrong: stop() leaves the provider try registered\nstatus 1"));
}

TEST_F(CheckPlugin, TapBeyondItsFile) {
  const std::string tap = R"(
#define IN_ENABLE struct sonde_tap_request r = {sizeof r, SONDE_TAP_USER_ENTRY, 0, 0, "/bin/true", 1u << 30, 1u << 30, {0}, 0, 0}; sonde_tap_arm(id, &r)
#define IN_DISABLE sonde_tap_disarm(id)
)";
  const std::string said = check(provider("beyond", tap));
  EXPECT_THAT(said, HasSubstr("    tap USER_ENTRY /bin/true+0x40000000\n"));
  EXPECT_THAT(said, HasSubstr("wrong: a tap lies beyond the end of /bin/true\nstatus 1"));
}

TEST_F(CheckPlugin, WaitsForTheCommand) {
  const std::string file = folder + "/made";
  const std::string look = "#include <unistd.h>\n#define IN_DISABLE if (access(\"" + file +
                           "\", F_OK) == 0) dtrace_probe_create(0, \"\", \"\", \"\", 0, 0)\n";
  EXPECT_THAT(check(provider("commanded", look), {"touch", file}),
              HasSubstr("wrong: provider try: dtrace_probe_create may not be called from dtps_disable"));
  EXPECT_THAT(check(provider("failed", ""), {"false"}), HasSubstr("wrong: false has ended with status 1"));
}

/// An argument of type `native`, or two of them, made from argN.
std::string arguments(const std::string& native, int mapping = 0) {
  return "#define IN_ARGUMENTS if (desc->dtargd_ndx < 2) { strcpy(desc->dtargd_native, \"" + native +
         "\"); desc->dtargd_mapping = " + std::to_string(mapping) + "; return; }\n";
}

TEST_F(CheckPlugin, AsksAboutEachDescriptionOnce) {
  const std::string more = "#define IN_PROVIDE dtrace_probe_create(provider, \"\", \"\", \"two\", 0, 0)\n";
  const std::string said = check(provider("same", arguments("int") + more));
  EXPECT_THAT(said, HasSubstr("try:::two(int args[0], int args[1])\n"));
  EXPECT_EQ(said.find("asked about"), said.rfind("asked about")) << said;
}

TEST_F(CheckPlugin, WrongArguments) {
  EXPECT_THAT(check(provider("wrong", arguments("wrong"))),
              HasSubstr("wrong.so: wrong: dtps_getargdesc of try:::one: no type\nstatus 1"));
  EXPECT_THAT(check(provider("tenth", arguments("int", 10))),
              HasSubstr("dtps_getargdesc of try:::one: args[0] is made from arg10, and the last is arg9\nstatus 1"));
  EXPECT_THAT(check(provider("ninth", arguments("int", 9))), HasSubstr("nothing wrong\nstatus 0"));
  EXPECT_THAT(check(provider("refused", arguments("int", -1))), HasSubstr("nothing wrong\nstatus 0"));
  EXPECT_THAT(check(provider("located", arguments("int", SONDE_ARGUMENT_LOCATED))), HasSubstr("status 0"));
}

TEST_F(CheckPlugin, WrongText) {
  const std::string texts =
      "static const struct sonde_text texts[] = {{\"a.d\", \"right\"}, {\"b.d\", \"wrong\"}, {0, 0}};\n#define TEXTS "
      "texts\n";
  const std::string said = check(provider("text", texts));
  EXPECT_THAT(said, HasSubstr("  D text a.d, 5 bytes\n  D text b.d, 5 bytes\n"));
  EXPECT_THAT(said, HasSubstr("wrong: its D text text.so:b.d does not compile\nstatus 1"));
}

/// try:::more exists once somebody has asked for it.
TEST_F(CheckPlugin, ProbesOnDemand) {
  const std::string more = R"(
static void provide_asked(void* arg, const dtrace_probedesc_t* spec);
#define IN_START ops.dtps_provide = provide_asked
)";
  const std::string path = provider("demand", more + R"(
static dtrace_provider_id_t provider;
static void provide_asked(void* arg, const dtrace_probedesc_t* spec) {
  (void)arg;
  if (spec != 0 && strcmp(spec->dtpd_name, "more") == 0) dtrace_probe_create(provider, "", "", "more", 0, 0);
}
)");
  EXPECT_THAT(check(path), HasSubstr("0 probes, nothing wrong: -c COMMAND gives it a target, -n DESCRIPTION asks for"));
  EXPECT_THAT(check(path, {"true"}), HasSubstr("wrong: it has made no probe, though true was traced\nstatus 1"));
  FakeBench::asked = {{"try", "", "", "more", {}}};
  EXPECT_THAT(check(path), HasSubstr("  try:::more fired 0 times\ndemand.so: 1 probes, nothing wrong\nstatus 0"));
  FakeBench::asked.clear();
}

TEST_F(CheckPlugin, ReadsAllArgumentsOfAFiring) {
  const std::string more = R"(
#include <stdio.h>
static int told;
static uint64_t value(void* arg, dtrace_id_t id, void* parg, int number, int aframes) {
  (void)arg; (void)id; (void)parg; (void)aframes;
  if (told++ < 6) { fprintf(stderr, "arg%d\n", number); }
  return 0;
}
#define IN_START ops.dtps_getargval = value
#define IN_DISABLE END_THREAD
)";
  EXPECT_THAT(check(provider("values", firing(more))), HasSubstr("arg5\narg6\narg7\narg8\narg9\n"));
}

TEST_F(CheckPlugin, CountsARecordOfSeveralEnablingsOnce) {
  const std::string tap = R"(
#define IN_ENABLE struct sonde_tap_request r = {sizeof r, SONDE_TAP_EXIT, 0, 0, 0, 0, 0, {0}, 0, 0}; sonde_tap_arm(id, &r)
#define IN_DISABLE sonde_tap_disarm(id)
)";
  FakeBench::records = {{{1}, {3}}, {{1}, {4}}, {{1}, {3}}, {{1}, {4}}};
  EXPECT_THAT(check(provider("twice", tap), {"true"}), HasSubstr("its probes cannot be enabled"));  // no source
  FakeBench::records.clear();
}

TEST_F(CheckPlugin, NamesTheOpThatCrashes) {
  const std::string crash = firing(
      "static int mode(void* arg, dtrace_id_t id, void* parg) { (void)arg; (void)id; (void)parg; abort(); }\n"
      "#define IN_START ops.dtps_usermode = mode\n#define IN_DISABLE END_THREAD\n");
  EXPECT_THAT(check(provider("crash", crash)),
              HasSubstr("sonde: provider try (crash.so) has crashed by SIGABRT in dtps_usermode"));
}

}  // namespace
}  // namespace sonde
