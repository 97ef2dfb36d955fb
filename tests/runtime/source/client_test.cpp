// SPDX-License-Identifier: GPL-3.0-or-later
// The client's requests to its transport, and which source is opened.
#include "runtime/source/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "runtime/source/registry.h"

namespace sonde {
namespace {

/// Gives the configured answers, and records the requests.
class ScriptedTransport final : public Transport {
 public:
  struct Asked {
    sonde_request request;
    Bytes payload;
  };
  std::vector<Asked>* asked;
  std::function<Result<Answer>(const sonde_request&, size_t room)> answer = [](const auto&, size_t) {
    return Answer{};
  };

  explicit ScriptedTransport(std::vector<Asked>* log) : asked(log) {}
  Result<Answer> transact(const sonde_request& request, ByteSpan payload, size_t room) override {
    asked->push_back({request, Bytes(payload.begin(), payload.end())});
    return answer(request, room);
  }
  Result<std::vector<MappedRing>> map_rings(const Answer&) override { return std::vector<MappedRing>(); }
  int event_fd() const override { return -1; }
  Result<std::optional<SourceEvent>> next_event() override { return std::optional<SourceEvent>(); }
};

class BareClient final : public SourceClient {
 public:
  using SourceClient::SourceClient;
  Result<void> begin_spawn(const SpawnRequest&) override { return Error("it starts no program"); }
  Result<uint32_t> spawned() override { return Error("it starts no program"); }
};

class Client : public ::testing::Test {
 protected:
  std::vector<ScriptedTransport::Asked> asked;
  ScriptedTransport* transport = new ScriptedTransport(&asked);
  static constexpr SourceRow kRow = {"scripted", {}};
  BareClient client{kRow, std::unique_ptr<Transport>(transport)};
};

TEST_F(Client, RefusesAnotherVersion) {
  transport->answer = [](const auto&, size_t) { return Transport::Answer{SONDE_ABI_VERSION, {}}; };
  EXPECT_TRUE(client.begin());
  transport->answer = [](const auto&, size_t) { return Transport::Answer{SONDE_ABI_VERSION + 1, {}}; };
  auto begun = client.begin();
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().code(), EPROTO);
  EXPECT_EQ(asked.back().request.kind, SONDE_HELLO);
  EXPECT_EQ(asked.back().request.value, SONDE_ABI_VERSION);
}

TEST_F(Client, ArmsAllOrNone) {
  std::vector<Tap> taps(2000);  // two requests
  for (uint32_t i = 0; i < taps.size(); i++) taps[i].id = TapId{i + 1};
  int armed = 0;
  transport->answer = [&](const sonde_request& request, size_t) -> Result<Transport::Answer> {
    if (request.kind == SONDE_TAP_ARM && ++armed == 2) return Error("no more", ENOMEM);
    return Transport::Answer{};
  };
  auto done = client.arm(taps);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message(), "no more");
  ASSERT_EQ(asked.size(), 3u);
  EXPECT_EQ(asked[2].request.kind, SONDE_TAP_DISARM);
  EXPECT_EQ(asked[2].request.value, asked[0].request.value);
  EXPECT_EQ(asked[2].payload.size(), asked[0].request.value * sizeof(uint32_t));
  EXPECT_EQ(asked[0].request.value + asked[1].request.value, taps.size());
}

/// Nobody waits for the answers to programs and ECBs one by one; the first refusal counts.
TEST_F(Client, ProgramsAndEcbsAreSettledTogether) {
  transport->answer = [&](const sonde_request& request, size_t) -> Result<Transport::Answer> {
    if (request.kind == SONDE_PROGRAM_LOAD && request.id == 2) return Error("program 2: no", EINVAL);
    if (request.kind == SONDE_ECB_ADD) return Error("no program 2 is loaded", ENOENT);
    return Transport::Answer{};
  };
  const Loading programs[] = {{ProgramId{1}, {}}, {ProgramId{2}, {}}};
  const Ecb ecb{Epid{1}, ProbeId{1}, ProgramId{2}};
  EXPECT_TRUE(client.load_programs(programs));
  EXPECT_TRUE(client.add_ecbs({&ecb, 1}));
  EXPECT_EQ(asked.size(), 3u);
  auto settled = client.settle();
  ASSERT_FALSE(settled);
  EXPECT_EQ(settled.error().message(), "program 2: no");
  EXPECT_TRUE(client.settle()) << "each answer counts once";
}

TEST_F(Client, MemoryGoesInParts) {
  transport->answer = [](const sonde_request& request, size_t room) {
    EXPECT_EQ(request.length, room);
    return Transport::Answer{0, Bytes(room, static_cast<uint8_t>(request.address))};
  };
  std::vector<uint8_t> bytes(kMemoryMax + 3);
  ASSERT_TRUE(client.read_memory(7, 1, bytes));
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_EQ(asked[1].request.address, 1 + kMemoryMax);
  EXPECT_EQ(asked[1].request.length, 3u);
  EXPECT_EQ(asked[1].request.id, 7u);
}

TEST_F(Client, ReleaseIsOneThing) {
  EXPECT_FALSE(client.release(1, {.stop = true, .signal = 9}));
  EXPECT_TRUE(asked.empty());
  ASSERT_TRUE(client.release(5, {.stop = false, .signal = 9}));
  EXPECT_EQ(asked[0].request.kind, SONDE_RELEASE);
  EXPECT_EQ(asked[0].request.id, 5u);
  EXPECT_EQ(asked[0].request.value, 2u + 9u);
}

/// Where a source makes every call, the thread is released all the same.
TEST_F(Client, AnInjectedResultIsOfThePtraceSource) {
  const bool injects = client.capabilities().injects;
  const auto done = client.release(5, {.signal = 9, .to_thread = true, .result = -2});
  EXPECT_EQ(done.has_value(), injects);
  ASSERT_EQ(asked.size(), 1u);
  const uint64_t bits = injects ? SONDE_RELEASE_RESULT | SONDE_RELEASE_TO_THREAD : 0;
  EXPECT_EQ(asked[0].request.value, bits | (2u + 9u));
  EXPECT_EQ(asked[0].request.address, injects ? static_cast<uint64_t>(-2) : 0);
}

TEST_F(Client, NoRingIsAnError) {
  transport->answer = [](const auto&, size_t) { return Transport::Answer{1, {}}; };
  auto made = client.create_buffers(4096);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), EPROTO);
}

/// An opened source has the interfaces that its row says.
TEST(Registry, InterfacesAreAsTheRowSays) {
  auto opened = open_source("ptrace", true, {});
  ASSERT_TRUE(opened);
  const SourceCapabilities& can = opened->source->capabilities();
  EXPECT_EQ(can.controls, opened->source->targets() != nullptr);
  EXPECT_EQ(can.holds, opened->source->threads() != nullptr);
}

TEST(Registry, TargetsAreForASourceThatControlsThem) {
  static constexpr SourceRow kWhole = {"whole", {.scope = SourceScope::Machine}};
  static constexpr SourceRow kSingle = {"single", {.scope = SourceScope::Targets, .controls = true}};
  const auto cannot_open = [](const SourceOptions&) -> Result<std::unique_ptr<EventSource>> {
    return Error("not now", ENODEV);
  };
  const SourceOpener openers[] = {{kWhole, cannot_open}, {kSingle, cannot_open}};
  auto by_name = open_source("whole", true, {}, openers);
  ASSERT_FALSE(by_name);
  EXPECT_EQ(by_name.error().message(),
            "the whole source traces the whole machine only: -c and -p need the kmod, bpf or ptrace source");
  auto next = open_source("auto", true, {}, openers);
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error().code(), ENODEV);  // of `single`
  auto nobody = open_source("auto", false, {}, openers);
  ASSERT_TRUE(nobody);
  EXPECT_EQ(nobody->missing, "not now");
  const auto by_name_only = [](const SourceOptions&) -> Result<std::unique_ptr<EventSource>> {
    return Error("by name only", EPERM);
  };
  const SourceOpener two[] = {{kWhole, cannot_open}, {kWhole, by_name_only}};
  auto neither = open_source("auto", false, {}, two);
  ASSERT_TRUE(neither);
  EXPECT_EQ(neither->missing, "not now; by name only");
}

/// A source with the probes of some providers is taken only for these.
TEST(Registry, AutoTakesASourceThatTracesAll) {
  static constexpr SourceRow kOne = {"one", {.scope = SourceScope::Machine}};
  const auto refuse = [](const SourceOptions&) -> Result<std::unique_ptr<EventSource>> {
    return Error("asked", EPERM);
  };
  static constexpr std::string_view kProviders[] = {"proc", "profile", "syscall"};
  const SourceOpener openers[] = {{kOne, refuse, kProviders}};
  const auto missing = [&](std::string_view name, std::vector<std::string> providers) {
    auto opened = open_source(name, false, {.providers = std::move(providers)}, openers);
    return opened ? opened->missing : "error";
  };
  EXPECT_EQ(missing("auto", {"syscall"}), "asked");
  EXPECT_EQ(missing("auto", {"syscall", "profile", "syscall"}), "asked");
  EXPECT_EQ(missing("auto", {"proc", "syscall"}), "asked");
  EXPECT_EQ(missing("auto", {"syscall", "pid"}), "");
  EXPECT_EQ(missing("auto", {"python*"}), "asked") << "a provider of programs: taps in their files";
  EXPECT_EQ(missing("auto", {"python42", "syscall"}), "asked");
  EXPECT_EQ(missing("auto", {"pid42"}), "");
  EXPECT_EQ(missing("auto", {}), "") << "nothing will be traced, or it is not known";
  EXPECT_EQ(missing("one", {}), "error") << "whoever names it gets its own words";
}

/// Where a target is named, `auto` passes over a source that wants to be named itself.
TEST(Registry, AutoPassesOverASourceOnlyByName) {
  static constexpr SourceRow kOne = {"one", {.scope = SourceScope::Machine, .controls = true}};
  static constexpr SourceRow kOther = {"other", {.scope = SourceScope::Targets, .controls = true}};
  const auto refuse = [](const SourceOptions&) -> Result<std::unique_ptr<EventSource>> {
    return Error("asked", EPERM);
  };
  const auto refuse_too = [](const SourceOptions&) -> Result<std::unique_ptr<EventSource>> {
    return Error("the other", EPERM);
  };
  const SourceOpener openers[] = {{kOne, refuse, {}, true}, {kOther, refuse_too}};
  const auto message = [&](std::string_view name, bool targets) {
    auto opened = open_source(name, targets, {}, openers);
    return opened ? opened->missing : opened.error().message();
  };
  EXPECT_EQ(message("auto", false), "asked");
  EXPECT_EQ(message("auto", true), "the other");
  EXPECT_EQ(message("one", true), "asked");
}

TEST(Registry, WithoutAModuleOnlyTargetsAreTraced) {
  if (access("/dev/sonde", F_OK) == 0) GTEST_SKIP() << "the module is loaded here";
  auto opened = open_source("auto", false, {});
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->source, nullptr);
  EXPECT_THAT(opened->missing, ::testing::HasSubstr("the kernel module is not "));
  auto asked_for = open_source("kmod", true, {});
  ASSERT_FALSE(asked_for);
  EXPECT_EQ(asked_for.error().code(), ENOENT);
  auto with_targets = open_source("auto", true, {});
  ASSERT_TRUE(with_targets);
  EXPECT_EQ(with_targets->source->name(), "ptrace");
  EXPECT_FALSE(with_targets->source->capabilities().taps.contains(SONDE_TAP_TICK));
}

}  // namespace
}  // namespace sonde
