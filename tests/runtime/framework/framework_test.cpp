// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/framework/framework.h"

#include <gmock/gmock.h>

#include <cerrno>

#include "tests/runtime/framework/recording_source.h"
#include "tests/runtime/framework/support.h"

namespace sonde {
namespace {

using ::testing::ElementsAre;

class FrameworkTest : public ::testing::Test {
 protected:
  FrameworkTest() {
    framework.on_ecb = [this](const EcbInfo& ecb) {
      ecbs.push_back(std::to_string(ecb.epid.value) + " " + ecb.probe->function + " " + std::to_string(ecb.clause));
    };
  }
  void SetUp() override { ASSERT_EQ(provider.add("test"), 0); }
  /// Makes taps of the source fire the provider's probes.
  void back_by_taps() {
    provider.on_enable = [](dtrace_id_t id) {
      sonde_tap_request request = {};
      request.size = sizeof request;
      request.kind = SONDE_TAP_SYSCALL_ENTRY;
      request.number = id * 10;
      sonde_tap_arm(id, &request);
    };
    provider.on_disable = [](dtrace_id_t id) { sonde_tap_disarm(id); };
  }
  uint32_t enable(ProbeDescription description, uint32_t clause = 0) {
    auto id = framework.enable(enabling_of(std::move(description), program, clause));
    EXPECT_TRUE(id) << id.error().message();
    return id ? *id : 0;
  }

  RecordingSource source;
  std::vector<std::string> ecbs;
  std::shared_ptr<const FireProgram> program = record_nothing();
  std::vector<std::unique_ptr<TestProvider>> others;
  TestProvider provider;  // it must outlive the framework, which calls its ops to the end
  Framework framework{&source};
  TestProvider& another() { return *others.emplace_back(std::make_unique<TestProvider>()); }
};

TEST_F(FrameworkTest, RegisterRefusesWhatIsUnsound) {
  const dtrace_pops_t good = TestProvider::pops();
  dtrace_provider_id_t id = 0;
  const auto add = [&](const char* name, const dtrace_pops_t& ops, uint32_t priv = 0) {
    return dtrace_register(name, &kTestAttributes, priv, nullptr, &ops, &provider, &id);
  };
  EXPECT_EQ(add("", good), EINVAL);
  EXPECT_EQ(add(std::string(DTRACE_PROVNAMELEN, 'x').c_str(), good), EINVAL);
  EXPECT_EQ(add(std::string(DTRACE_PROVNAMELEN - 1, 'x').c_str(), good), 0);
  EXPECT_EQ(add("test", good), EEXIST);
  EXPECT_EQ(dtrace_register("a", nullptr, 0, nullptr, &good, nullptr, &id), EINVAL);
  EXPECT_EQ(dtrace_register("a", &kTestAttributes, 0, nullptr, nullptr, nullptr, &id), EINVAL);
  EXPECT_EQ(dtrace_register(nullptr, &kTestAttributes, 0, nullptr, &good, nullptr, &id), EINVAL);

  dtrace_pops_t ops = good;
  ops.dtps_enable = nullptr;
  EXPECT_EQ(add("a", ops), EINVAL);
  ops = good;
  ops.dtps_disable = nullptr;
  EXPECT_EQ(add("a", ops), EINVAL);
  ops = good;
  ops.dtps_destroy = nullptr;
  EXPECT_EQ(add("a", ops), EINVAL);
  ops = good;
  ops.dtps_provide = nullptr;
  EXPECT_EQ(add("only-modules", ops), 0);
  ops.dtps_provide_module = nullptr;
  EXPECT_EQ(add("a", ops), EINVAL);
  ops = good;
  ops.dtps_resume = nullptr;
  EXPECT_EQ(add("a", ops), EINVAL);
  ops = good;
  ops.dtps_suspend = nullptr;
  EXPECT_EQ(add("a", ops), EINVAL);
  EXPECT_EQ(add("mixed", good, DTRACE_PRIV_USER | DTRACE_PRIV_KERNEL), EINVAL);
  EXPECT_EQ(add("mixed", TestProvider::pops_with_values(), DTRACE_PRIV_USER | DTRACE_PRIV_KERNEL), 0);
}

TEST_F(FrameworkTest, ProbesAreFoundAgain) {
  int value = 0;
  const dtrace_id_t a = provider.probe("f", "entry", &value), b = provider.probe("f", "return");
  EXPECT_EQ(provider.probe("f", "entry"), a);
  EXPECT_EQ(dtrace_probe_arg(provider.id, a), &value);
  EXPECT_EQ(dtrace_probe_arg(provider.id, 99), nullptr);
  EXPECT_EQ(dtrace_probe_arg(99, a), nullptr);
  EXPECT_EQ(dtrace_probe_lookup(provider.id, "mod", "f", "return"), b);
  EXPECT_EQ(dtrace_probe_lookup(provider.id, nullptr, nullptr, "return"), b);
  EXPECT_EQ(dtrace_probe_lookup(provider.id, "nosuch", nullptr, nullptr), 0u);
  EXPECT_EQ(framework.info({a}).name, "entry");
  const std::string module(DTRACE_MODNAMELEN, 'm');
  EXPECT_EQ(dtrace_probe_create(provider.id, module.c_str(), "f", "n", 0, nullptr), 0u);
  EXPECT_NE(dtrace_probe_create(provider.id, module.c_str() + 1, "f", "n", 0, nullptr), 0u);
  EXPECT_EQ(dtrace_probe_create(77, "m", "f", "n", 0, nullptr), 0u);
  EXPECT_THAT(framework.match({"", "", "", "", {b}}), ElementsAre(ProbeId{b}));
  EXPECT_THAT(framework.match({"", "", "", "", {99}}), ElementsAre());
}

TEST_F(FrameworkTest, ProvidesOnceAndOnDemand) {
  provider.on_provide = [&](const dtrace_probedesc_t* spec) {
    if (spec == nullptr) provider.probe("f", "known");
    if (spec != nullptr && std::string(spec->dtpd_name) == "wished") provider.probe("f", "wished");
    if (spec != nullptr && std::string(spec->dtpd_name) == "bad") sonde_provide_error("D_PROC_FUNC", "there is no bad");
  };
  EXPECT_EQ(framework.match({"", "", "", "known", {}}).size(), 1u);
  EXPECT_EQ(framework.match({"", "", "", "wished", {}}).size(), 1u);
  EXPECT_EQ(framework.match({"", "", "", "wished", {}}).size(), 1u);
  EXPECT_THAT(provider.ops, ElementsAre("provide", "provide wished"));
  EXPECT_TRUE(framework.match({"", "", "", "bad", {}}).empty());
  EXPECT_EQ(framework.provide_error()->tag, "D_PROC_FUNC");
  EXPECT_EQ(framework.provide_error()->message, "there is no bad");
  EXPECT_EQ(framework.match({"", "", "", "known", {}}).size(), 1u);
  EXPECT_FALSE(framework.provide_error());
}

TEST_F(FrameworkTest, ProviderThatIsAlwaysAsked) {
  sonde_provide_always(provider.id);
  provider.on_provide = [&](const dtrace_probedesc_t* spec) {
    if (spec != nullptr && std::string(spec->dtpd_func) == "alias")
      sonde_provide_match(provider.probe("real", "entry"));
  };
  EXPECT_EQ(framework.match({"test", "", "alias", "entry", {}}).size(), 1u);
  EXPECT_EQ(framework.match({"te*", "", "", "", {}}).size(), 0u) << "it is there, but the provider does not say it";
  EXPECT_EQ(provider.count("provide "), 1);
  framework.match({"", "", "", "entry", {}});
  framework.match({"*", "", "", "entry", {}});
  framework.match({"other", "", "", "entry", {}});
  EXPECT_EQ(provider.ops.size(), 3u);
}

TEST_F(FrameworkTest, ANumberAtTheEndOfAProvidersNameIsSpelledOut) {
  TestProvider& numbered = another();
  ASSERT_EQ(numbered.add("test42"), 0);
  sonde_provide_always(numbered.id);
  numbered.on_provide = [&](const dtrace_probedesc_t* spec) {
    if (spec != nullptr) sonde_provide_match(numbered.probe("f", "entry"));
  };
  for (const char* other : {"test*", "test4?", "t*2", "test2", "*"})
    EXPECT_EQ(framework.match({other, "", "f", "entry", {}}).size(), 0u) << other;
  EXPECT_EQ(framework.match({"t*t42", "", "f", "entry", {}}).size(), 1u);
}

TEST_F(FrameworkTest, EnableIsOneBatchInOrder) {
  back_by_taps();
  provider.probe("a", "n");
  provider.probe("b", "n");
  auto two_programs = record_nothing();
  Enabling first{{{"test", "", "b", "", {}}, {"test", "", "", "", {}}}, 5, program, false};
  Enabling second{{{"test", "", "a", "", {}}, {"test", "", "a", "", {}}}, 6, two_programs, true};
  auto ids = framework.enable_all(std::vector<Enabling>{first, second});
  ASSERT_TRUE(ids);
  EXPECT_THAT(ecbs, ElementsAre("1 a 5", "2 b 5", "3 b 5", "4 a 6", "5 a 6"));
  EXPECT_THAT(source.calls, ElementsAre("load", "load", "add 5", "arm 2"));
  EXPECT_THAT(provider.ops, ElementsAre("provide", "enable 1", "enable 2"));
  EXPECT_EQ(source.taps[1].number, 20u);
  EXPECT_EQ(source.taps[1].probe.value, 2u);
  EXPECT_NE(source.ecbs[0].program, source.ecbs[3].program);
  EXPECT_FALSE(source.ecbs[0].held);
  EXPECT_TRUE(source.ecbs[3].held);
}

TEST_F(FrameworkTest, NoThreadIsToWaitWhereTheSourceHoldsNone) {
  back_by_taps();
  provider.probe("a", "n");
  source.can.holds = false;
  enable({"test", "", "a", "", {}});
  Enabling held = enabling_of({"test", "", "a", "", {}}, record_nothing());
  held.held = true;
  auto failed = framework.enable(held);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), EOPNOTSUPP);
  EXPECT_EQ(failed.error().message(),
            "probe test:mod:a:n: its thread would have to wait, which the recording source cannot have it do; "
            "the kmod or ptrace source can");
  EXPECT_EQ(source.ecbs.size(), 1u);
  source.can.holds = true;
  EXPECT_TRUE(framework.enable(held));
}

/// Nor must one for a signal that the source itself sends.
TEST_F(FrameworkTest, ASourceThatSendsSignalsHoldsNoThreadForThem) {
  back_by_taps();
  provider.probe("a", "n");
  source.can.holds = false;
  auto sends = std::make_shared<FireProgram>(*record_nothing());
  sends->signals = 1;
  Enabling held = enabling_of({"test", "", "a", "", {}}, sends);
  held.held = true;
  EXPECT_FALSE(framework.enable(held));
  source.can.signals = true;
  EXPECT_TRUE(framework.enable(held));
  ASSERT_EQ(source.ecbs.size(), 1u);
  EXPECT_FALSE(source.ecbs[0].held);
  source.can.holds = true;
  EXPECT_TRUE(framework.enable(held));
  EXPECT_TRUE(source.ecbs.back().held);
}

TEST_F(FrameworkTest, WhatTheSourceHasNoTapForIsRefused) {
  back_by_taps();
  provider.probe("a", "n");
  source.can.taps.erase(SONDE_TAP_SYSCALL_ENTRY);
  auto failed = framework.enable(enabling_of({"test", "", "a", "", {}}, record_nothing()));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), EOPNOTSUPP);
  EXPECT_EQ(failed.error().message(),
            "probe test:mod:a:n: the recording source cannot trace it; the kmod, bpf or ptrace source can");
  EXPECT_THAT(source.calls, ::testing::IsEmpty());
  source.can.taps = kPtraceRow.can.taps;
  enable({"test", "", "a", "", {}});
  EXPECT_EQ(source.taps.size(), 1u);
}

TEST_F(FrameworkTest, WhatTheSourceCannotCaptureIsRefused) {
  back_by_taps();
  provider.probe("a", "n");
  const auto text_of = [](sonde_dif_text which) {
    return make_program({{SONDE_DIF_LI}, {SONDE_DIF_CAPTEXT, 0, 0, 0, static_cast<int>(which)}, {SONDE_DIF_RECORD}},
                        {SONDE_SLOT_TEXT});
  };
  source.can.texts = {SONDE_DIF_TEXT_CWD};
  auto failed = framework.enable(enabling_of({"test", "", "a", "", {}}, text_of(SONDE_DIF_TEXT_PSARGS)));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), EOPNOTSUPP);
  EXPECT_EQ(
      failed.error().message(),
      "probe test:mod:a:n: the recording source cannot read curpsinfo->pr_psargs; the kmod, bpf or ptrace source can");
  const auto kernel =
      make_program({{SONDE_DIF_VAR, 0, 0, 0, SONDE_DIF_VAR_CURTHREAD}, {SONDE_DIF_CAPW, 0, 0}, {SONDE_DIF_RECORD}},
                   {SONDE_SLOT_WORD});
  failed = framework.enable(enabling_of({"test", "", "a", "", {}}, kernel));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message(),
            "probe test:mod:a:n: the recording source cannot see the kernel: its memory, its stacks and curthread; "
            "the kmod or bpf source can");
  // Together with that text, only a source that can do both is named.
  const auto paths = text_of(SONDE_DIF_TEXT_PSARGS);
  const Enabling both[] = {enabling_of({"test", "", "a", "", {}}, paths),
                           enabling_of({"test", "", "a", "", {}}, kernel)};
  auto refused = framework.enable_all(both);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(),
            "probe test:mod:a:n: the recording source cannot read curpsinfo->pr_psargs; the kmod or bpf source can");
  EXPECT_THAT(source.calls, ::testing::IsEmpty());
  EXPECT_TRUE(framework.enable(enabling_of({"test", "", "a", "", {}}, text_of(SONDE_DIF_TEXT_CWD))));
}

TEST_F(FrameworkTest, CountsReferences) {
  back_by_taps();
  provider.probe("a", "n");
  const uint32_t one = enable({"test", "", "a", "", {}}), two = enable({"test", "", "a", "", {}});
  EXPECT_EQ(provider.count("enable 1"), 1);
  EXPECT_THAT(source.calls, ElementsAre("load", "add 1", "arm 1", "add 1"));
  ASSERT_TRUE(framework.disable(one));
  EXPECT_EQ(provider.count("disable 1"), 0);
  EXPECT_EQ(source.taps.size(), 1u);
  ASSERT_TRUE(framework.disable(two));
  EXPECT_EQ(provider.count("disable 1"), 1);
  EXPECT_TRUE(source.taps.empty());
  EXPECT_TRUE(source.ecbs.empty());
  EXPECT_FALSE(framework.disable(two));
  enable({"test", "", "a", "", {}});
  EXPECT_EQ(provider.count("enable 1"), 2);
}

TEST_F(FrameworkTest, ManyEnablingsOfOneProbeGoInOneBatch) {
  back_by_taps();
  provider.probe("a", "n");
  provider.probe("b", "n");
  std::vector<Enabling> many;
  for (uint32_t clause = 0; clause < 1000; clause++)
    many.push_back({{{"test", "", "a", "", {}}}, clause, program, false});
  const uint32_t stays = enable({"test", "", "", "", {}});
  auto ids = framework.enable_all(many);
  ASSERT_TRUE(ids);
  source.calls.clear();
  ASSERT_TRUE(framework.disable_all(*ids));
  EXPECT_THAT(source.calls, ElementsAre("remove 1000"));
  EXPECT_EQ(source.ecbs.size(), 2u);
  EXPECT_EQ(provider.count("disable 1"), 0);

  auto again = framework.enable_all(many);
  ASSERT_TRUE(again);
  again->push_back(stays);
  source.calls.clear();
  ASSERT_TRUE(framework.disable_all(*again));
  EXPECT_THAT(source.calls, ElementsAre("disarm 2", "remove 1002"));
  again->assign({stays});
  EXPECT_FALSE(framework.disable_all(*again));
}

TEST_F(FrameworkTest, NothingStaysEnabledOnError) {
  back_by_taps();
  provider.probe("a", "n");
  provider.probe("b", "n");
  enable({"test", "", "a", "", {}});
  for (const char* step : {"load", "add", "arm"}) {
    source.fail = step;
    auto failed = framework.enable(enabling_of({"test", "", "", "", {}}, record_nothing()));
    ASSERT_FALSE(failed) << step;
    EXPECT_EQ(failed.error().code(), EIO);
    EXPECT_EQ(source.taps.size(), 1u) << step;
    EXPECT_EQ(source.ecbs.size(), 1u) << step;
    EXPECT_EQ(provider.count("enable 2"), provider.count("disable 2"));
    EXPECT_EQ(provider.count("disable 1"), 0);
  }
  source.fail = "";
  enable({"test", "", "b", "", {}});
  EXPECT_EQ(source.taps.size(), 2u);
}

TEST_F(FrameworkTest, LateProbesJoin) {
  back_by_taps();
  provider.probe("a", "n");
  const uint32_t one = enable({"test", "", "", "", {}}, 1);
  enable({"test", "", "b*", "", {}}, 2);
  provider.on_module = [&](const char*) {
    provider.probe("b1", "n");
    provider.probe("b2", "n");
  };
  source.calls.clear();
  ASSERT_TRUE(framework.modules_appeared(std::vector<std::string>{"/lib/new.so"}));
  EXPECT_EQ(provider.count("module /lib/new.so"), 1);
  EXPECT_THAT(ecbs, ElementsAre("1 a 1", "2 b1 1", "3 b2 1", "4 b1 2", "5 b2 2"));
  EXPECT_THAT(source.calls, ElementsAre("add 4", "arm 2"));
  ASSERT_TRUE(framework.retry_enablings());
  EXPECT_EQ(ecbs.size(), 5u);
  ASSERT_TRUE(framework.disable(one));
  EXPECT_EQ(source.ecbs.size(), 2u);
  EXPECT_EQ(source.taps.size(), 2u);
}

/// An enabled probe may get a further place in dtps_provide: a library of the same name was opened. Its taps are armed
/// with the batch, taken back if that fails, and disarmed with the others.
TEST_F(FrameworkTest, AnEnabledProbeGetsFurtherTaps) {
  back_by_taps();
  const dtrace_id_t a = provider.probe("a", "n"), waiting = provider.probe("b", "n");
  TestProvider& other = another();
  ASSERT_EQ(other.add("other"), 0);
  const dtrace_id_t foreign = other.probe("c", "n");
  const uint32_t one = enable({"test", "", "a", "", {}});
  enable({"other", "", "", "", {}});
  std::vector<int> said;
  provider.on_module = [&](const char*) {
    sonde_tap_request request = {};
    request.size = sizeof request;
    request.kind = SONDE_TAP_SYSCALL_ENTRY;
    request.number = 77;
    for (dtrace_id_t probe : {a, waiting, foreign, dtrace_id_t{0}}) said.push_back(sonde_tap_arm(probe, &request));
  };
  const std::vector<std::string> module = {"/lib/again.so"};
  source.fail = "arm";
  ASSERT_FALSE(framework.modules_appeared(module));
  source.fail = "";
  source.calls.clear();
  ASSERT_TRUE(framework.modules_appeared(module));
  EXPECT_THAT(said, ElementsAre(0, EINVAL, EINVAL, EINVAL, 0, EINVAL, EINVAL, EINVAL));
  EXPECT_THAT(source.calls, ElementsAre("arm 1"));
  ASSERT_EQ(source.taps.size(), 2u);
  EXPECT_EQ(source.taps[1].number, 77u);
  EXPECT_EQ(source.taps[1].probe.value, a);
  source.calls.clear();
  ASSERT_TRUE(framework.disable(one));
  EXPECT_TRUE(source.taps.empty());
  EXPECT_EQ(source.calls.front(), "disarm 2");
}

/// A description may have made probes, when it was compiled, that clauses from before match, too: these join before the
/// new clause, so that the clauses of a firing run in their order.
TEST_F(FrameworkTest, OlderEnablingsJoinWhatALaterOneHasMade) {
  back_by_taps();
  provider.probe("a", "n");
  enable({"test", "", "", "", {}}, 1);
  provider.on_provide = [&](const dtrace_probedesc_t* spec) {
    if (spec != nullptr && std::string_view(spec->dtpd_func) == "b") provider.probe("b", "n");
  };
  ASSERT_EQ(framework.match({"test", "", "b", "", {}}).size(), 1u);
  enable({"test", "", "b", "", {}}, 2);
  EXPECT_THAT(ecbs, ElementsAre("1 a 1", "2 b 1", "3 b 2"));
}

TEST_F(FrameworkTest, ATargetIsFollowedOnce) {
  provider.on_provide = [](const dtrace_probedesc_t*) {
    sonde_follow(7);
    sonde_follow(8);
  };
  (void)framework.match({"test", "", "x", "", {}});
  (void)framework.match({"test", "", "y", "", {}});
  EXPECT_THAT(source.calls, ElementsAre("follow 7 and its forks", "follow 8 and its forks"));
}

TEST_F(FrameworkTest, LateProbesThatCannotBeArmedMayJoinLater) {
  back_by_taps();
  enable({"test", "", "a", "", {}});
  provider.probe("a", "n");
  source.fail = "arm";
  EXPECT_FALSE(framework.retry_enablings());
  source.fail = "";
  ASSERT_TRUE(framework.retry_enablings());
  EXPECT_EQ(source.taps.size(), 1u);
}

TEST_F(FrameworkTest, UnregisterWaitsForConsumers) {
  provider.probe("a", "n");
  const uint32_t one = enable({"test", "", "a", "", {}});
  EXPECT_EQ(dtrace_unregister(provider.id), EBUSY);
  ASSERT_TRUE(framework.disable(one));
  EXPECT_EQ(dtrace_unregister(provider.id), 0);
  EXPECT_EQ(provider.ops.back(), "destroy 1");
  EXPECT_EQ(dtrace_unregister(provider.id), EINVAL);
  EXPECT_TRUE(framework.match({"test", "", "", "", {}}).empty());
  EXPECT_EQ(framework.info({1}).function, "a");
  EXPECT_EQ(provider.add("test"), 0);
  EXPECT_NE(provider.probe("a", "n"), 1u);
}

TEST_F(FrameworkTest, InvalidateSilencesAndHides) {
  back_by_taps();
  provider.probe("a", "n");
  const uint32_t one = enable({"test", "", "a", "", {}});
  dtrace_invalidate(provider.id);
  EXPECT_TRUE(source.taps.empty());
  EXPECT_TRUE(framework.match({"test", "", "", "", {}}).empty());
  EXPECT_EQ(provider.probe("b", "n"), 0u);
  EXPECT_EQ(dtrace_unregister(provider.id), EBUSY);
  TestProvider& again = another();
  EXPECT_EQ(again.add("test"), 0);
  ASSERT_TRUE(framework.disable(one));
  EXPECT_EQ(provider.count("disable 1"), 1);
  EXPECT_EQ(dtrace_unregister(provider.id), 0);
  EXPECT_EQ(dtrace_unregister(again.id), 0);
}

TEST_F(FrameworkTest, CondenseKeepsWhatIsEnabled) {
  provider.on_provide = [&](const dtrace_probedesc_t* spec) {
    provider.probe("a", "n");
    provider.probe("b", "n");
  };
  enable({"test", "", "a", "", {}});
  EXPECT_EQ(dtrace_condense(provider.id), 0);
  EXPECT_EQ(provider.count("destroy 1"), 0);
  EXPECT_EQ(provider.count("destroy 2"), 1);
  EXPECT_THAT(framework.match({"test", "", "", "", {}}), ElementsAre(ProbeId{1}, ProbeId{3}));
  EXPECT_EQ(dtrace_condense(77), EINVAL);
}

TEST_F(FrameworkTest, SuspendOnlyWhatIsEnabled) {
  provider.probe("a", "n");
  provider.probe("b", "n");
  enable({"test", "", "b", "", {}});
  framework.suspend();
  framework.resume();
  EXPECT_THAT(provider.ops, ElementsAre("provide", "enable 2", "suspend 2", "resume 2"));
}

TEST_F(FrameworkTest, DescribesArguments) {
  provider.on_getargdesc = [&](dtrace_id_t, dtrace_argdesc_t* desc) {
    if (desc->dtargd_ndx == 1 || desc->dtargd_ndx > 2) {
      desc->dtargd_ndx = DTRACE_ARGNONE;
      return;
    }
    desc->dtargd_mapping = desc->dtargd_ndx + 1;
    std::snprintf(desc->dtargd_native, sizeof desc->dtargd_native, "int");
    std::snprintf(desc->dtargd_xlate, sizeof desc->dtargd_xlate, "psinfo_t *");
    std::snprintf(desc->dtargd_name, sizeof desc->dtargd_name, "x%d", desc->dtargd_ndx);
  };
  const auto arguments = framework.arguments({provider.probe("a", "n")});
  ASSERT_EQ(arguments.size(), 2u);
  EXPECT_EQ(arguments[1].index, 2);
  EXPECT_EQ(arguments[1].mapping, 3);
  EXPECT_EQ(arguments[1].native, "int");
  EXPECT_EQ(arguments[1].translated, "psinfo_t *");
  EXPECT_EQ(arguments[1].name, "x2");
}

TEST_F(FrameworkTest, ProvidersAreBornByDescriptions) {
  static std::vector<std::string> seen;
  seen.clear();
  const auto hook = [](void* arg, const dtrace_probedesc_t* spec) {
    seen.emplace_back(spec->dtpd_provider);
    TestProvider& other = *static_cast<TestProvider*>(arg);
    if (std::string_view(spec->dtpd_provider) != "born42" || other.id != 0) return;
    EXPECT_EQ(other.add("born42"), 0);
    other.probe("f", "n");
  };
  TestProvider& more = another();
  EXPECT_EQ(sonde_on_description(99, hook, &more), EINVAL);
  EXPECT_EQ(sonde_on_description(provider.id, nullptr, &more), EINVAL);
  EXPECT_EQ(sonde_on_description(provider.id, hook, &more), 0);
  const auto found = [&](const char* name) { return framework.match({name, "", "", "n", {}}).size(); };
  provider.probe("a", "n");
  EXPECT_EQ(found("born42"), 1u);
  EXPECT_EQ(found("born42"), 1u);
  EXPECT_EQ(found("test"), 1u);
  EXPECT_EQ(found("born*"), 1u);
  EXPECT_EQ(found("none"), 0u);
  EXPECT_THAT(seen, ElementsAre("born42", "born42", "born*", "none")) << "not asked where a provider has the name";
}

/// born* has the same probe as born42: a description that names both means the former.
TEST_F(FrameworkTest, AProviderOfAllProcessesLeavesOutThoseOfOne) {
  TestProvider &one = another(), &all = another();
  ASSERT_EQ(one.add("born42"), 0);
  ASSERT_EQ(all.add("born*"), 0);
  const dtrace_id_t of_one = one.probe("f", "n"), of_all = all.probe("f", "n");
  const auto found = [&](const char* name) { return framework.match({name, "", "", "n", {}}); };
  EXPECT_THAT(found("born*"), ElementsAre(ProbeId{of_all}));
  EXPECT_THAT(found("b*"), ElementsAre(ProbeId{of_all}));
  EXPECT_THAT(found("born42"), ElementsAre(ProbeId{of_one}));
}

TEST_F(FrameworkTest, TargetsReachHooks) {
  static std::vector<uint32_t> seen;
  seen.clear();
  framework.set_targets({7});
  const auto hook = [](void* arg, uint32_t pid) {
    seen.push_back(pid);
    TestProvider& other = *static_cast<TestProvider*>(arg);
    EXPECT_EQ(other.add(("pid" + std::to_string(pid)).c_str()), 0);
  };
  TestProvider& more = another();
  EXPECT_EQ(sonde_on_target(99, hook, &more), EINVAL);
  EXPECT_EQ(sonde_on_target(provider.id, hook, &more), 0);
  framework.set_targets({7, 8});
  EXPECT_THAT(seen, ElementsAre(7, 8));
  EXPECT_EQ(dtrace_unregister(provider.id), 0);
  framework.set_targets({7, 8, 9});
  EXPECT_EQ(seen.size(), 2u);
  std::vector<uint32_t> pids;
  sonde_targets([](void* to, uint32_t pid) { static_cast<std::vector<uint32_t>*>(to)->push_back(pid); }, &pids);
  EXPECT_THAT(pids, ElementsAre(7, 8, 9));
}

TEST_F(FrameworkTest, OpsMayNotArmForOthers) {
  provider.probe("a", "n");
  provider.probe("b", "n");
  std::vector<int> answers;
  provider.on_enable = [&](dtrace_id_t enabled) {
    sonde_tap_request request = {};
    request.size = sizeof request;
    for (dtrace_id_t probe : {3 - enabled, dtrace_id_t{0}, dtrace_id_t{99}})
      answers.push_back(sonde_tap_arm(probe, &request));
  };
  enable({"test", "", "a", "", {}});
  EXPECT_THAT(answers, ElementsAre(EINVAL, EINVAL, EINVAL));
  EXPECT_TRUE(source.taps.empty());
}

TEST(FrameworkWithoutSource, TapsAreRefusedWithWhatIsMissing) {
  TestProvider provider;
  Framework framework(nullptr);
  ASSERT_EQ(provider.add("syscall"), 0);
  provider.probe("read", "entry");
  provider.on_enable = [](dtrace_id_t id) {
    sonde_tap_request request = {};
    request.size = sizeof request;
    sonde_tap_arm(id, &request);
  };
  auto refused = framework.enable(enabling_of({"syscall", "", "", "", {}}, record_nothing()));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(), "probe syscall:mod:read:entry needs a traced process: name one by -c or -p");
  EXPECT_EQ(provider.count("disable 1"), 1);
}

TEST(FrameworkWithoutSource, UnverifiedProgramsAreRefused) {
  Framework framework(nullptr);
  EXPECT_FALSE(framework.enable(enabling_of({}, std::make_shared<FireProgram>())));
  EXPECT_FALSE(framework.enable(enabling_of({}, nullptr)));
}

TEST(FrameworkGone, CallsFail) {
  EXPECT_EQ(dtrace_attached(), 0);
  TestProvider provider;
  EXPECT_EQ(provider.add("test"), EPERM);
  EXPECT_EQ(dtrace_unregister(1), EINVAL);
  EXPECT_EQ(provider.probe("a", "n"), 0u);
  dtrace_probe(1, 0, 0, 0, 0, 0);
}

}  // namespace
}  // namespace sonde
