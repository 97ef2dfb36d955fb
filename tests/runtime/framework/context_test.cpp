// SPDX-License-Identifier: GPL-3.0-or-later
// The table of docs/provider-interface.md, row by row: which call may be made from which op.
#include "runtime/framework/context.h"

#include <cerrno>
#include <cstdlib>
#include <map>

#include "tests/runtime/framework/recording_source.h"
#include "tests/runtime/framework/support.h"

namespace sonde {
namespace {

const ProviderOp kOps[] = {ProviderOp::None,     ProviderOp::Provide,    ProviderOp::ProvideModule,
                           ProviderOp::Enable,   ProviderOp::Disable,    ProviderOp::Suspend,
                           ProviderOp::Resume,   ProviderOp::GetArgDesc, ProviderOp::GetArgVal,
                           ProviderOp::UserMode, ProviderOp::Destroy};

TEST(Context, Table) {
  const std::map<Call, std::vector<ProviderOp>> table = {
      {Call::Register, {ProviderOp::None}},
      {Call::ProbeCreate, {ProviderOp::None, ProviderOp::Provide, ProviderOp::ProvideModule}},
      {Call::ProbeLookup, {ProviderOp::None, ProviderOp::Provide, ProviderOp::ProvideModule, ProviderOp::GetArgDesc}},
      {Call::Probe, {ProviderOp::None, ProviderOp::Provide, ProviderOp::ProvideModule, ProviderOp::GetArgDesc}},
      {Call::GetArg, {ProviderOp::GetArgVal}},
      {Call::TapArm, {ProviderOp::Enable}},
      {Call::TapDisarm, {ProviderOp::Enable, ProviderOp::Disable}},
      {Call::ProvideError, {ProviderOp::Provide, ProviderOp::ProvideModule}},
      {Call::Targets, {ProviderOp::None, ProviderOp::Provide, ProviderOp::ProvideModule}},
      {Call::Tell, {ProviderOp::Provide, ProviderOp::ProvideModule, ProviderOp::Enable}},
  };
  for (const auto& [call, where] : table) {
    for (ProviderOp op : kOps) {
      const bool allowed = std::find(where.begin(), where.end(), op) != where.end();
      EXPECT_EQ(call_allowed(op, call), allowed) << op_name(op) << ", call " << static_cast<int>(call);
    }
  }
}

TEST(Context, ScopesNest) {
  EXPECT_EQ(current_op(), ProviderOp::None);
  {
    OpScope outer(ProviderOp::Provide, "a");
    {
      OpScope inner(ProviderOp::Destroy, "b");
      EXPECT_EQ(current_op(), ProviderOp::Destroy);
    }
    EXPECT_EQ(current_op(), ProviderOp::Provide);
  }
  EXPECT_EQ(current_op(), ProviderOp::None);
}

/// A provider that makes every call of the interface from one op.
class Forbidden : public ::testing::Test {
 protected:
  void SetUp() override {
    unsetenv("SONDE_STRICT_PROVIDERS");
    ASSERT_EQ(provider.add("test", TestProvider::pops_with_values()), 0);
    id = provider.probe("f", "n");
    ASSERT_NE(id, 0u);
  }
  int call_register() {
    const dtrace_pops_t ops = TestProvider::pops();
    dtrace_provider_id_t other = 0;
    return dtrace_register("other", &kTestAttributes, 0, nullptr, &ops, nullptr, &other);
  }
  /// Makes those calls that change registration, and those that make probes; both must fail.
  void expect_nothing_works() {
    expect_no_registration();
    EXPECT_EQ(provider.probe("g", "n"), 0u);
    EXPECT_EQ(dtrace_probe_lookup(provider.id, nullptr, nullptr, nullptr), 0u);
    EXPECT_EQ(dtrace_probe_arg(provider.id, id), nullptr);
    tried++;
  }
  void expect_no_registration() {
    EXPECT_EQ(call_register(), EPERM);
    EXPECT_EQ(dtrace_unregister(provider.id), EPERM);
    EXPECT_EQ(dtrace_condense(provider.id), EPERM);
    dtrace_invalidate(provider.id);
    EXPECT_EQ(dtrace_attached(), 1);
    tried++;
  }
  void enable_and_disable() {
    auto enabled = framework.enable(enabling_of({"test", "", "", "", {}}, record_argument(7)));
    ASSERT_TRUE(enabled);
    framework.suspend();
    framework.resume();
    dtrace_probe(id, 1, 2, 3, 4, 5);
    ASSERT_TRUE(framework.disable(*enabled));
  }

  TestProvider provider;  // outlives the framework, which calls its ops to the end
  Framework framework{nullptr};
  dtrace_id_t id = 0;
  int tried = 0;
};

TEST_F(Forbidden, Provide) {
  provider.on_provide = [&](const dtrace_probedesc_t*) {
    expect_no_registration();
    EXPECT_EQ(provider.probe("f", "n"), id);
    EXPECT_EQ(dtrace_probe_lookup(provider.id, "mod", "f", "n"), id);
  };
  framework.match({});
  provider.on_module = [&](const char*) { expect_no_registration(); };
  ASSERT_TRUE(framework.modules_appeared(std::vector<std::string>{"/lib/x.so"}));
  EXPECT_EQ(tried, 2);
}

TEST_F(Forbidden, EnableAndDisable) {
  provider.on_enable = provider.on_disable = [&](dtrace_id_t) { expect_nothing_works(); };
  enable_and_disable();
  EXPECT_EQ(tried, 4);
}

TEST_F(Forbidden, SuspendAndResume) {
  provider.on_suspend = provider.on_resume = [&](dtrace_id_t) { expect_nothing_works(); };
  enable_and_disable();
  EXPECT_EQ(tried, 4);
}

TEST_F(Forbidden, WhileFiring) {
  provider.on_getargval = [&](dtrace_id_t, int number) {
    expect_nothing_works();
    return dtrace_getarg(number, 0);
  };
  provider.on_usermode = [&](dtrace_id_t) {
    expect_nothing_works();
    return 1;
  };
  enable_and_disable();
  EXPECT_EQ(tried, 4);
}

TEST_F(Forbidden, GetArgDesc) {
  provider.on_getargdesc = [&](dtrace_id_t, dtrace_argdesc_t* desc) {
    if (desc->dtargd_ndx == 0) expect_no_registration();
    EXPECT_EQ(provider.probe("g", "n"), 0u);
    EXPECT_EQ(dtrace_probe_lookup(provider.id, "mod", "f", "n"), id);
    desc->dtargd_ndx = DTRACE_ARGNONE;
  };
  EXPECT_TRUE(framework.arguments({id}).empty());
  EXPECT_EQ(tried, 1);
}

TEST_F(Forbidden, Destroy) {
  provider.on_destroy = [&](dtrace_id_t) { expect_nothing_works(); };
  EXPECT_EQ(dtrace_unregister(provider.id), 0);
  EXPECT_EQ(tried, 2);
}

TEST_F(Forbidden, TapsOutsideOfEnable) {
  sonde_tap_request request = {};
  request.size = sizeof request;
  sonde_tap_arm(id, &request);
  sonde_tap_disarm(id);
  sonde_provide_error("D_X", "said at the wrong time");
  EXPECT_FALSE(framework.provide_error());
  provider.on_disable = [&](dtrace_id_t) { sonde_tap_arm(id, &request); };
  enable_and_disable();
  EXPECT_EQ(provider.count("disable " + std::to_string(id)), 1);
}

TEST_F(Forbidden, SaysWhoAndWhere) {
  provider.on_enable = [&](dtrace_id_t) { dtrace_invalidate(provider.id); };
  testing::internal::CaptureStderr();
  enable_and_disable();
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "sonde: provider test: dtrace_invalidate may not be called from dtps_enable\n");
}

using ForbiddenDeathTest = Forbidden;

TEST_F(ForbiddenDeathTest, AbortsWhenStrict) {
  provider.on_enable = [&](dtrace_id_t) { provider.probe("g", "n"); };
  EXPECT_DEATH(
      {
        setenv("SONDE_STRICT_PROVIDERS", "1", 1);
        enable_and_disable();
      },
      "provider test: dtrace_probe_create may not be called from dtps_enable");
}

}  // namespace
}  // namespace sonde
