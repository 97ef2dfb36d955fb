// SPDX-License-Identifier: GPL-3.0-or-later
// The providers on a real process, over the ptrace source.
#include <poll.h>

#include <map>

#include "runtime/source/registry.h"
#include "tests/providers/support.h"
#include "tests/runtime/process/target_program.h"

namespace sonde {
namespace {

constexpr char kCounting[] = R"(
#include <unistd.h>
int __attribute__((noinline)) work(int x) { return x + getpid(); }
int main(void) { int s = 0; for (int i = 0; i < 500; i++) s += work(i); return s == 3; }
)";

/// Runs until nothing is traced any more, at most 20 s.
bool run_to_end(EventSource& source) {
  for (int i = 0; i < 400; i++) {
    pollfd wait{source.event_fd(), POLLIN, 0};
    poll(&wait, 1, 50);
    for (;;) {
      auto event = source.next_event();
      if (!event || !*event) break;
      if (std::holds_alternative<AllGone>(**event)) return true;
    }
  }
  return false;
}

TEST(Live, CountsAreExact) {
  auto made = open_ptrace_source({});
  ASSERT_TRUE(made) << made.error().message();
  const std::unique_ptr<EventSource> source = *std::move(made);
  Framework framework(source.get());
  register_providers();
  TargetProgram program("target", kCounting);
  ASSERT_TRUE(source->create_buffers(1 << 20));
  auto pid = source->targets()->spawn({{program.path()}, {}, false, {}});
  ASSERT_TRUE(pid) << pid.error().message();
  ASSERT_TRUE(source->targets()->run_to_entry(*pid));
  framework.set_targets({*pid});

  std::map<uint32_t, std::string> probe_of;
  framework.on_ecb = [&](const EcbInfo& ecb) {
    probe_of[ecb.epid.value] = ecb.probe->function + ":" + ecb.probe->name;
  };
  const std::string provider = "pid" + std::to_string(*pid);
  const std::vector<Enabling> enablings = {
      enabling_of({"dtrace", "", "", "BEGIN", {}}, record_nothing()),
      enabling_of({provider, "a.out", "work", "entry", {}}, record_nothing()),
      enabling_of({provider, "a.out", "work", "return", {}}, record_nothing()),
      enabling_of({"syscall", "", "getpid", "entry", {}}, record_nothing()),
      enabling_of({"syscall", "", "getpid", "return", {}}, record_nothing()),
      enabling_of({"proc", "", "", "exit", {}}, record_nothing()),
  };
  auto ids = framework.enable_all(enablings);
  ASSERT_TRUE(ids) << ids.error().message();
  framework.fire({1}, {});
  ASSERT_TRUE(source->targets()->go());
  EXPECT_TRUE(run_to_end(*source));

  std::map<std::string, int> counts;
  MergeReader merge;
  for (const MappedRing& ring : source->mapped_rings()) merge.add(ring);
  for (const MappedRing* ring : framework.mapped_rings()) merge.add(*ring);
  merge.drain(monotonic_now(), true, [&](const sonde_record& record) { counts[probe_of[record.epid]]++; });
  const std::map<std::string, int> expected = {{":BEGIN", 1},         {"work:entry", 500},    {"work:return", 500},
                                               {"getpid:entry", 500}, {"getpid:return", 500}, {":exit", 1}};
  EXPECT_EQ(counts, expected);
  for (uint32_t id : *ids) EXPECT_TRUE(framework.disable(id));
  unregister_providers();
}

}  // namespace
}  // namespace sonde
