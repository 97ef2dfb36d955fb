// SPDX-License-Identifier: GPL-3.0-or-later
// The table of docs/provider-interface.md, row by row: which calls are allowed in which op.
#include "runtime/framework/context.h"

#include <cerrno>
#include <cstdlib>
#include <map>
#include <stdexcept>

#include "tests/runtime/framework/recording_source.h"
#include "tests/runtime/framework/support.h"

namespace sonde {
namespace {

const ProviderOp kOps[] = {ProviderOp::None,     ProviderOp::Provide,    ProviderOp::ProvideModule,
                           ProviderOp::Enable,   ProviderOp::Disable,    ProviderOp::Suspend,
                           ProviderOp::Resume,   ProviderOp::GetArgDesc, ProviderOp::GetArgVal,
                           ProviderOp::UserMode, ProviderOp::Destroy,    ProviderOp::Start,
                           ProviderOp::Stop,     ProviderOp::OnTarget,   ProviderOp::OnDescription};

/// start(), stop() and hooks are outside of any op, as a thread of the provider is.
bool is_outside(ProviderOp op) {
  return op == ProviderOp::None || op == ProviderOp::Start || op == ProviderOp::Stop || op == ProviderOp::OnTarget ||
         op == ProviderOp::OnDescription;
}

TEST(Context, Table) {
  const std::map<Call, std::vector<ProviderOp>> table = {
      {Call::Register, {ProviderOp::None}},
      {Call::ProbeCreate, {ProviderOp::None, ProviderOp::Provide, ProviderOp::ProvideModule}},
      {Call::ProbeLookup, {ProviderOp::None, ProviderOp::Provide, ProviderOp::ProvideModule, ProviderOp::GetArgDesc}},
      {Call::Probe, {ProviderOp::None, ProviderOp::Provide, ProviderOp::ProvideModule, ProviderOp::GetArgDesc}},
      {Call::GetArg, {ProviderOp::GetArgVal}},
      {Call::TapArm, {ProviderOp::Provide, ProviderOp::ProvideModule, ProviderOp::Enable}},
      {Call::TapDisarm, {ProviderOp::Enable, ProviderOp::Disable}},
      {Call::ProvideError, {ProviderOp::Provide, ProviderOp::ProvideModule}},
      {Call::Targets, {ProviderOp::None, ProviderOp::Provide, ProviderOp::ProvideModule}},
      {Call::PrintMessage, {ProviderOp::Provide, ProviderOp::ProvideModule, ProviderOp::Enable}},
  };
  for (const auto& [call, where] : table) {
    for (ProviderOp op : kOps) {
      const ProviderOp row = is_outside(op) ? ProviderOp::None : op;
      const bool described = op == ProviderOp::OnDescription &&
                             (call == Call::ProvideError || call == Call::PrintMessage || call == Call::TapArm);
      const bool allowed = described || std::find(where.begin(), where.end(), row) != where.end();
      EXPECT_EQ(call_allowed(op, call), allowed) << op_name(op) << ", call " << static_cast<int>(call);
    }
  }
}

TEST(Context, ScopesNest) {
  EXPECT_EQ(current_op(), ProviderOp::None);
  {
    OpScope outer(ProviderOp::Provide, {"a", ""});
    {
      OpScope inner(ProviderOp::Destroy, {"b", ""});
      EXPECT_EQ(current_op(), ProviderOp::Destroy);
    }
    EXPECT_EQ(current_op(), ProviderOp::Provide);
  }
  EXPECT_EQ(current_op(), ProviderOp::None);
}

/// A provider that calls every function of the interface from one op.
class Forbidden : public ::testing::Test {
 protected:
  explicit Forbidden(const char* name = "test") : name_(name) {}
  void SetUp() override {
    unsetenv("SONDE_STRICT_PROVIDERS");
    ASSERT_EQ(provider.add(name_, TestProvider::pops_with_values()), 0);
    id = provider.probe("f", "n");
    ASSERT_NE(id, 0u);
  }
  int call_register() {
    const dtrace_pops_t ops = TestProvider::pops();
    dtrace_provider_id_t other = 0;
    return dtrace_register("other", &kTestAttributes, 0, nullptr, &ops, nullptr, &other);
  }
  /// Calls the functions that change registration, and those that create probes; all must fail.
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
    auto enabled = framework.enable(enabling_of({name_, "", "", "", {}}, record_argument(7)));
    ASSERT_TRUE(enabled);
    framework.suspend();
    framework.resume();
    dtrace_probe(id, 1, 2, 3, 4, 5);
    ASSERT_TRUE(framework.disable(*enabled));
  }

  TestProvider provider;  // it must outlive the framework, which calls its ops to the end
  Framework framework{nullptr};
  dtrace_id_t id = 0;
  int tried = 0;

 private:
  const char* name_;
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

/// A text is reported once per provider, so each test has a provider of its own.
class Told : public Forbidden {
 protected:
  Told() : Forbidden(::testing::UnitTest::GetInstance()->current_test_info()->name()) {}
  std::string told(const std::function<void()>& act) {
    testing::internal::CaptureStderr();
    act();
    return testing::internal::GetCapturedStderr();
  }
};

TEST_F(Told, WrongCall) {
  provider.on_enable = [&](dtrace_id_t) { dtrace_invalidate(provider.id); };
  EXPECT_EQ(told([&] { enable_and_disable(); }),
            "sonde: provider WrongCall: dtrace_invalidate may not be called from dtps_enable\n");
  EXPECT_EQ(told([&] { enable_and_disable(); }), "");
}

/// An exception ends its op; later calls work.
TEST_F(Told, Exceptions) {
  const auto throws = [](const char* text) { return [text](auto...) { throw std::runtime_error(text); }; };
  provider.on_provide = throws("no names");
  provider.on_module = throws("no file");
  provider.on_enable = throws("no queue");
  provider.on_disable = throws("still busy");
  provider.on_suspend = throws("no");
  provider.on_resume = [](dtrace_id_t) { throw 1; };
  provider.on_getargdesc = throws("no type");
  provider.on_getargval = [](dtrace_id_t, int) -> uint64_t { throw std::runtime_error("no value"); };
  provider.on_usermode = [](dtrace_id_t) -> int { throw std::runtime_error("no mode"); };
  provider.on_destroy = throws("no end");
  const std::string text = told([&] {
    ASSERT_TRUE(framework.modules_appeared(std::vector<std::string>{"/lib/x.so"}));
    EXPECT_TRUE(framework.arguments({id}).empty());
    enable_and_disable();
    LocalRecords records(framework);
    auto enabled = framework.enable(enabling_of({"Exceptions", "", "", "", {}}, record_argument(7)));
    ASSERT_TRUE(enabled);
    dtrace_probe(id, 1, 2, 3, 4, 5);
    const auto seen = records.take();
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_EQ(seen[1].slot0, 0u);
    ASSERT_TRUE(framework.disable(*enabled));
    EXPECT_EQ(dtrace_unregister(provider.id), 0);
  });
  const std::pair<const char*, const char*> wanted[] = {
      {"dtps_provide", "no names"},   {"dtps_provide_module", "no file"},
      {"dtps_enable", "no queue"},    {"dtps_disable", "still busy"},
      {"dtps_suspend", "no"},         {"dtps_getargdesc", "no type"},
      {"dtps_getargval", "no value"}, {"dtps_usermode", "no mode"},
      {"dtps_destroy", "no end"},     {"dtps_resume", "something that is no std::exception"},
  };
  size_t lines = 0;
  for (const auto& [op, why] : wanted) {
    const std::string line = std::string("sonde: provider Exceptions: ") + op + " throws: " + why + "\n";
    EXPECT_NE(text.find(line), std::string::npos) << line << "in\n" << text;
    lines++;
  }
  EXPECT_EQ(static_cast<size_t>(std::count(text.begin(), text.end(), '\n')), lines) << text;
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
