// SPDX-License-Identifier: GPL-3.0-or-later
// The taps of the probes that a program brings along. Nobody runs the program: its file is named.
#include "tests/providers/support.h"
#include "tests/runtime/process/target_program.h"

namespace sonde {
namespace {

using UsdtTest = ProvidersTest;

constexpr char kLikePython[] = R"(
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>
__extension__ unsigned short python_function__entry_semaphore __attribute__((section(".probes")));
__extension__ unsigned short python_line_semaphore __attribute__((section(".probes")));
int main(int count, char** words) {
  STAP_PROBE1(python, function__entry, count);
  STAP_PROBE1(python, line, 1);
  STAP_PROBE1(python, line, words);
  return 0;
}
)";

/// The companion is at two places, which have one counter: it is raised once.
TEST_F(UsdtTest, ACompanionsCounterIsNamedOnce) {
  const TargetProgram program("like_python", kLikePython);
  const auto counters_of = [&](const char* probe) {
    source.taps.clear();
    enable({"python*", program.path(), "", probe, {}});
    std::vector<size_t> counts;
    for (const Tap& tap : source.taps) counts.push_back(tap.counters.size());
    return counts;
  };
  EXPECT_EQ(counters_of("line"), (std::vector<size_t>{1, 1})) << "its own, at each place";
  EXPECT_EQ(counters_of("function-entry"), (std::vector<size_t>{2})) << "its own, and that of line";
}

}  // namespace
}  // namespace sonde
