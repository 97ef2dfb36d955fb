// SPDX-License-Identifier: GPL-3.0-or-later
// The ABI with which plug-ins of provider interface 2 were compiled. A failure here means that they break: add only at
// the end, or raise SONDE_PROVIDER_ABI and support the old one, too (docs/add-a-provider.md, "What you may rely on").
#include <cctype>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "tests/runtime/framework/recording_source.h"
#include "tests/runtime/framework/support.h"

namespace sonde {
namespace {

TEST(ProviderAbi, StructsOfTwo) {
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
  EXPECT_EQ(offsetof(sonde_tap_request, machine), 76u);
  EXPECT_EQ(offsetof(sonde_tap_request, symbol), 80u);
  EXPECT_EQ(offsetof(sonde_tap_request, locations), 88u);
  EXPECT_EQ(offsetof(sonde_tap_request, counters), 96u);
  EXPECT_EQ(offsetof(sonde_tap_request, counter_count), 108u);
  EXPECT_EQ(sizeof(sonde_tap_request), 112u);
  EXPECT_EQ(offsetof(sonde_mapping, file), 4120u);
  EXPECT_EQ(offsetof(sonde_mapping, major), 8216u);
  EXPECT_EQ(offsetof(sonde_mapping, inode), 8224u);
  EXPECT_EQ(offsetof(sonde_mapping, program), 8232u);
  EXPECT_EQ(sizeof(sonde_mapping), 8240u);
  EXPECT_EQ(offsetof(sonde_place, leave), 16u);
}

TEST(ProviderAbi, NumbersOfTwo) {
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
  EXPECT_EQ(SONDE_TAP_KERNEL_ENTRY, 19);
  EXPECT_EQ(SONDE_TAP_KERNEL_RETURN, 20);
  EXPECT_EQ(SONDE_TAP_TRACEPOINT, 21);
  EXPECT_EQ(SONDE_TAP_COUNTER, 22);
  EXPECT_EQ(DTRACE_PRIV_KERNEL, 1u);
  EXPECT_EQ(DTRACE_PRIV_USER, 2u);
  EXPECT_EQ(DTRACE_PRIV_PROC, 4u);
  EXPECT_EQ(DTRACE_PRIV_OWNER, 8u);
  EXPECT_EQ(DTRACE_PRIV_ZONEOWNER, 16u);
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

TEST_F(Api, PrintsMessagesOnlyWhereItMay) {
  std::vector<std::string> told;
  framework.on_message = [&](const std::string& text) { told.push_back(text); };
  provider.on_enable = [](dtrace_id_t) { sonde_print_message("while enabling"); };
  provider.on_disable = [](dtrace_id_t) { sonde_print_message("while disabling"); };
  auto enabled = framework.enable(enabling_of({"test", "", "", "", {}}, record_nothing()));
  ASSERT_TRUE(enabled);
  EXPECT_TRUE(framework.disable(*enabled));
  EXPECT_EQ(told, std::vector<std::string>{"while enabling"});
}

TEST_F(Api, ATapRequestSaysWhere) {
  std::vector<int> said;
  provider.on_enable = [&](dtrace_id_t) {
    for (const sonde_tap_kind kind : {SONDE_TAP_USER_ENTRY, SONDE_TAP_USER_RETURN, SONDE_TAP_USER_OFFSET,
                                      SONDE_TAP_KERNEL_ENTRY, SONDE_TAP_KERNEL_RETURN, SONDE_TAP_TRACEPOINT}) {
      sonde_tap_request request = {};
      request.size = sizeof request;
      request.kind = kind;
      said.push_back(sonde_tap_arm(id, &request));
    }
    sonde_tap_request request = {};
    request.size = sizeof request;
    request.kind = SONDE_TAP_EXIT;
    request.location_count = 1;
    said.push_back(sonde_tap_arm(id, &request));
    request.location_count = 0;
    request.counter_count = 1;
    said.push_back(sonde_tap_arm(id, &request));
    request.counter_count = 0;
    request.machine = 183;  // EM_AARCH64
    said.push_back(sonde_tap_arm(id, &request));
  };
  enable();
  EXPECT_EQ(said, (std::vector<int>{EINVAL, EINVAL, EINVAL, EINVAL, EINVAL, EINVAL, EINVAL, EINVAL, ENOTSUP}));
  EXPECT_TRUE(source.taps.empty());
}

TEST_F(Api, TargetsHaveNoFunctionsOfTheKernel) {
  source.can = kPtraceRow.can;
  for (const sonde_tap_kind kind : {SONDE_TAP_KERNEL_ENTRY, SONDE_TAP_KERNEL_RETURN}) {
    EXPECT_FALSE(sonde_tap_possible(kind));
    EXPECT_STREQ(sonde_sources_with(kind, 0), "kmod or bpf");
    provider.on_enable = [&](dtrace_id_t) {
      sonde_tap_request request = {};
      request.size = sizeof request;
      request.kind = kind;
      request.symbol = "vfs_read";
      EXPECT_EQ(sonde_tap_arm(id, &request), 0);
    };
    auto enabled = framework.enable(enabling_of({"test", "", "", "", {}}, record_nothing()));
    ASSERT_FALSE(enabled);
    EXPECT_THAT(enabled.error().message(), ::testing::HasSubstr("cannot trace it"));
  }
}

TEST_F(Api, RegistrationChecksPriv) {
  const dtrace_pops_t ops = TestProvider::pops_with_values();
  dtrace_provider_id_t other = 0;
  for (uint32_t bit = 0; bit < 32; bit++) {
    const std::string name = "priv" + std::to_string(bit);
    EXPECT_EQ(dtrace_register(name.c_str(), &kTestAttributes, 1u << bit, nullptr, &ops, nullptr, &other),
              bit < 5 ? 0 : EINVAL)
        << bit;
    if (bit < 5) EXPECT_EQ(dtrace_unregister(other), 0);
  }
}

/// Each of the fifteen attributes, one beyond its enum and far beyond.
TEST_F(Api, RegistrationChecksAttributes) {
  const dtrace_pops_t ops = TestProvider::pops();
  dtrace_provider_id_t other = 0;
  for (size_t at = 0; at < sizeof(dtrace_pattr_t) / sizeof(uint32_t); at++) {
    const uint32_t last = at % 3 == 2 ? uint32_t{DTRACE_CLASS_COMMON} : uint32_t{DTRACE_STABILITY_STANDARD};
    for (const uint32_t value : {last, last + 1, 0x77777777u}) {
      dtrace_pattr_t attributes = {};
      std::memcpy(reinterpret_cast<char*>(&attributes) + at * sizeof value, &value, sizeof value);
      EXPECT_EQ(dtrace_register("other", &attributes, 0, nullptr, &ops, nullptr, &other), value == last ? 0 : EINVAL)
          << at << " " << value;
      if (value == last) EXPECT_EQ(dtrace_unregister(other), 0);
    }
  }
}

TEST_F(Api, NamesOfProviders) {
  const dtrace_pops_t ops = TestProvider::pops();
  dtrace_provider_id_t other = 0;
  const auto add = [&](const std::string& name) {
    const int error = dtrace_register(name.c_str(), &kTestAttributes, 0, nullptr, &ops, nullptr, &other);
    if (error == 0) dtrace_unregister(other);
    return error;
  };
  for (const char* good : {"a", "_", "Z9", "a-b.c_d", "x1234"}) EXPECT_EQ(add(good), 0) << good;
  for (int byte = 1; byte < 256; byte++) {
    const bool letter = std::isalpha(byte) != 0 || byte == '_';
    EXPECT_EQ(add(std::string(1, static_cast<char>(byte))), letter ? 0 : EINVAL) << byte;
    // Of sonde's own providers, a star at the end means all processes.
    const bool good = letter || std::isdigit(byte) != 0 || byte == '-' || byte == '.' || byte == '*';
    EXPECT_EQ(add(std::string("a") + static_cast<char>(byte)), good ? 0 : EINVAL) << byte;
  }
}

TEST_F(Api, NamesOfProbes) {
  for (int byte = 1; byte < 256; byte++) {
    const std::string text = std::string("x") + static_cast<char>(byte);
    const bool good = std::isalnum(byte) != 0 || byte == '_' || byte == '-' || byte == '.';
    const bool control = byte < 0x20 || byte == 0x7f;
    EXPECT_EQ(dtrace_probe_create(provider.id, "m", "f", text.c_str(), 0, nullptr) != 0, good) << byte;
    EXPECT_EQ(dtrace_probe_create(provider.id, text.c_str(), "f", "n", 0, nullptr) == 0, control) << byte;
    EXPECT_EQ(dtrace_probe_create(provider.id, "m", text.c_str(), "n", 0, nullptr) == 0, control) << byte;
  }
  const auto create = [&](const char* module, const char* function, const char* name) {
    return dtrace_probe_create(provider.id, module, function, name, 0, nullptr) != 0;
  };
  EXPECT_FALSE(create("m", "f", ""));
  EXPECT_FALSE(create("m", "f", nullptr));
  EXPECT_FALSE(create("m", nullptr, "n"));
  EXPECT_FALSE(create(nullptr, "f", "n"));
  EXPECT_TRUE(create(nullptr, nullptr, "n"));
  EXPECT_TRUE(create("", "", "n"));
  EXPECT_FALSE(create("m\xc2\x9b[31m", "f", "n"));  // the control character CSI in UTF-8
  EXPECT_TRUE(create("caf\xc3\xa9", "app::f(int, std::vector<int> const&)", "n"));
  EXPECT_FALSE(create("m", "f", std::string(64, 'n').c_str()));
  EXPECT_TRUE(create("m", std::string(100000, 'f').c_str(), std::string(63, 'n').c_str()));
}

TEST_F(Api, HooksOfATargetsEnd) {
  std::vector<std::string> heard;
  static std::vector<std::string>* to = &heard;
  to = &heard;
  const auto comes = [](void*, uint32_t pid) { to->push_back("+" + std::to_string(pid)); };
  const auto ends = [](void* arg, uint32_t pid) {
    to->push_back("-" + std::to_string(pid));
    if (pid == 2) to->push_back(std::to_string(dtrace_unregister(*static_cast<dtrace_provider_id_t*>(arg))));
  };
  EXPECT_EQ(sonde_on_target_end(99, ends, nullptr), EINVAL);
  EXPECT_EQ(sonde_on_target_end(provider.id, nullptr, nullptr), EINVAL);
  EXPECT_EQ(sonde_on_target(provider.id, comes, nullptr), 0);
  EXPECT_EQ(sonde_on_target_end(provider.id, ends, &provider.id), 0);
  framework.set_targets({1, 2});
  framework.set_targets({2, 3});
  framework.set_targets({3});  // unregisters the hooks' owner
  framework.set_targets({4});
  EXPECT_EQ(heard, (std::vector<std::string>{"+1", "+2", "-1", "+3", "-2", "0"}));
  provider.on_provide = nullptr;
}

}  // namespace
}  // namespace sonde
