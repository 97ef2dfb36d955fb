// SPDX-License-Identifier: GPL-3.0-or-later
// sonde --check-provider
#include "runtime/plugin/check.h"

#include "tests/runtime/plugin/support.h"

namespace sonde {
namespace {

using ::testing::HasSubstr;

class CheckPlugin : public PluginTest {
 protected:
  /// The output and messages of a check, and its status.
  std::string check(const std::string& path, const std::vector<std::string>& command = {}) {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int status = check_plugin(path, command);
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
  EXPECT_THAT(said, HasSubstr("fires.so: provider interface 2\n"));
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

}  // namespace
}  // namespace sonde
