// SPDX-License-Identifier: GPL-3.0-or-later
// The ABI with which plug-ins of provider interface 1 were compiled. A failure here means that they break: add only at
// the end, or raise SONDE_PROVIDER_ABI and support the old one, too (docs/add-a-provider.md, "What you may rely on").
#include <cerrno>
#include <cstddef>

#include "tests/runtime/framework/recording_source.h"
#include "tests/runtime/framework/support.h"

namespace sonde {
namespace {

TEST(ProviderAbi, StructsOfOne) {
  EXPECT_EQ(sizeof(dtrace_pops_t), 80u);
  EXPECT_EQ(offsetof(dtrace_pops_t, dtps_provide), 0u);
  EXPECT_EQ(offsetof(dtrace_pops_t, dtps_provide_module), 8u);
  EXPECT_EQ(offsetof(dtrace_pops_t, dtps_enable), 16u);
  EXPECT_EQ(offsetof(dtrace_pops_t, dtps_disable), 24u);
  EXPECT_EQ(offsetof(dtrace_pops_t, dtps_suspend), 32u);
  EXPECT_EQ(offsetof(dtrace_pops_t, dtps_resume), 40u);
  EXPECT_EQ(offsetof(dtrace_pops_t, dtps_getargdesc), 48u);
  EXPECT_EQ(offsetof(dtrace_pops_t, dtps_getargval), 56u);
  EXPECT_EQ(offsetof(dtrace_pops_t, dtps_usermode), 64u);
  EXPECT_EQ(offsetof(dtrace_pops_t, dtps_destroy), 72u);
  EXPECT_EQ(sizeof(dtrace_pattr_t), 60u);
  EXPECT_EQ(offsetof(dtrace_probedesc_t, dtpd_mod), 68u);
  EXPECT_EQ(offsetof(dtrace_probedesc_t, dtpd_func), 324u);
  EXPECT_EQ(offsetof(dtrace_probedesc_t, dtpd_name), 2372u);
  EXPECT_EQ(sizeof(dtrace_probedesc_t), 2436u);
  EXPECT_EQ(offsetof(dtrace_argdesc_t, dtargd_native), 12u);
  EXPECT_EQ(offsetof(dtrace_argdesc_t, dtargd_xlate), 140u);
  EXPECT_EQ(offsetof(dtrace_argdesc_t, dtargd_name), 268u);
  EXPECT_EQ(sizeof(dtrace_argdesc_t), 332u);
  EXPECT_EQ(offsetof(struct sonde_plugin, abi), 4u);
  EXPECT_EQ(offsetof(struct sonde_plugin, start), 24u);
  EXPECT_EQ(sizeof(struct sonde_plugin), 48u);
  EXPECT_EQ(offsetof(sonde_tap_request, path), 16u);
  EXPECT_EQ(offsetof(sonde_tap_request, leave), 40u);
  EXPECT_EQ(offsetof(sonde_tap_request, locations), 80u);
  EXPECT_EQ(sizeof(sonde_tap_request), 104u);
  EXPECT_EQ(offsetof(sonde_mapping, file), 4120u);
  EXPECT_EQ(offsetof(sonde_place, leave), 16u);
}

TEST(ProviderAbi, NumbersOfOne) {
  EXPECT_EQ(SONDE_TAP_SYSCALL_ENTRY, 0);
  EXPECT_EQ(SONDE_TAP_CREATE, 2);
  EXPECT_EQ(SONDE_TAP_EXEC, 6);
  EXPECT_EQ(SONDE_TAP_EXIT, 9);
  EXPECT_EQ(SONDE_TAP_SIGNAL_SEND, 11);
  EXPECT_EQ(SONDE_TAP_USER_ENTRY, 14);
  EXPECT_EQ(SONDE_TAP_USER_RETURN, 15);
  EXPECT_EQ(SONDE_TAP_USER_OFFSET, 16);
  EXPECT_EQ(SONDE_TAP_PROFILE, 17);
  EXPECT_EQ(SONDE_TAP_TICK, 18);
  EXPECT_EQ(DTRACE_STABILITY_STANDARD, 7);
  EXPECT_EQ(DTRACE_CLASS_COMMON, 5);
}

class Api : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(provider.add("test"), 0);
    id = provider.probe("f", "n");
  }
  void enable() {
    auto enabled = framework.enable(enabling_of({"test", "", "", "", {}}, record_nothing()));
    EXPECT_TRUE(enabled) << enabled.error().message();
  }

  TestProvider provider;
  RecordingSource source;
  Framework framework{&source};
  dtrace_id_t id = 0;
};

TEST_F(Api, ATapRequestSaysItsSize) {
  std::vector<int> said;
  provider.on_enable = [&](dtrace_id_t) {
    sonde_tap_request request = {};
    said.push_back(sonde_tap_arm(id, &request));
    request.size = sizeof request;
    request.kind = SONDE_TAP_KIND_COUNT;
    said.push_back(sonde_tap_arm(id, &request));
    request.kind = SONDE_TAP_EXIT;
    said.push_back(sonde_tap_arm(id + 1, &request));
    said.push_back(sonde_tap_arm(id, nullptr));
    said.push_back(sonde_tap_arm(id, &request));
  };
  enable();
  EXPECT_EQ(said, (std::vector<int>{EINVAL, EINVAL, EINVAL, EINVAL, 0}));
  EXPECT_EQ(source.taps.size(), 1u);
  sonde_tap_request request = {};
  EXPECT_EQ(sonde_tap_arm(id, &request), EPERM);
}

TEST_F(Api, SaysWhyItRefusesAProvider) {
  dtrace_pops_t ops = TestProvider::pops();
  ops.dtps_destroy = nullptr;
  EXPECT_EQ(provider.add("other", ops), EINVAL);
  EXPECT_EQ(framework.register_refusal(), "provider other has no dtps_destroy");
  ops = TestProvider::pops();
  ops.dtps_resume = nullptr;
  EXPECT_EQ(provider.add("other", ops), EINVAL);
  EXPECT_EQ(framework.register_refusal(), "provider other has no dtps_resume");
  EXPECT_EQ(provider.add("test"), EEXIST);
  EXPECT_EQ(framework.register_refusal(), "there is a provider test already");
  EXPECT_EQ(framework.providers(), std::vector<std::string>{"test"});
}

TEST_F(Api, FunctionPlaces) {
  int visited = 0;
  const auto count = [](void* arg, const sonde_place* place) { *static_cast<int*>(arg) += place->function != 0; };
  const char* libc = "/lib/x86_64-linux-gnu/libc.so.6";
  EXPECT_EQ(sonde_function_places(libc, "malloc", SONDE_TAP_USER_ENTRY, count, &visited), 0);
  EXPECT_GE(visited, 1);
  EXPECT_EQ(sonde_function_places(libc, "malloc", SONDE_TAP_USER_RETURN, count, &visited), 0);
  EXPECT_GE(visited, 2);
  visited = 0;
  EXPECT_EQ(sonde_function_places(libc, "no_such_function", SONDE_TAP_USER_ENTRY, count, &visited), ENOENT);
  EXPECT_EQ(sonde_function_places(libc, "malloc", SONDE_TAP_USER_OFFSET, count, &visited), EINVAL);
  int said = 0;
  provider.on_enable = [&](dtrace_id_t) {
    said = sonde_function_places(libc, "malloc", SONDE_TAP_USER_ENTRY, count, &visited);
  };
  enable();
  EXPECT_EQ(said, EPERM);
  EXPECT_EQ(visited, 0);
}

TEST_F(Api, TellsOnlyWhereItMay) {
  std::vector<std::string> told;
  framework.on_left_out = [&](const std::string& text) { told.push_back(text); };
  provider.on_enable = [](dtrace_id_t) { sonde_tell("while enabling"); };
  provider.on_disable = [](dtrace_id_t) { sonde_tell("while disabling"); };
  auto enabled = framework.enable(enabling_of({"test", "", "", "", {}}, record_nothing()));
  ASSERT_TRUE(enabled);
  EXPECT_TRUE(framework.disable(*enabled));
  EXPECT_EQ(told, std::vector<std::string>{"while enabling"});
}

}  // namespace
}  // namespace sonde
