// SPDX-License-Identifier: GPL-3.0-or-later
// What provider.h and docs/provider-interface.md promise of single calls and of what ops are given, sentence by sentence
#include <elf.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <fstream>
#include <thread>

#include "runtime/base/unique_fd.h"
#include "tests/runtime/framework/recording_source.h"
#include "tests/runtime/framework/support.h"

namespace sonde {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kLibc = "/lib/x86_64-linux-gnu/libc.so.6";

/// Calls provider.h's functions with one provider, "test", which has probes "a" and "b".
class Calls : public ::testing::Test {
 protected:
  void SetUp() override {
    framework.on_message = [this](const std::string& text) { messages.push_back(text); };
    ASSERT_EQ(provider.add("test", TestProvider::pops_with_values()), 0);
    a = provider.probe("a", "n");
    b = provider.probe("b", "n");
  }
  Result<uint32_t> enable(const char* function = "") {
    return framework.enable(enabling_of({"test", "", function, "", {}}, record_nothing()));
  }
  /// Runs `act` in dtps_provide.
  void in_provide(std::function<void()> act) {
    provider.on_provide = [act](const dtrace_probedesc_t* spec) {
      if (spec != nullptr) act();
    };
    (void)framework.match({"test", "", "", "asked", {}});
    provider.on_provide = nullptr;
  }
  static sonde_tap_request exits() {
    sonde_tap_request request = {};
    request.size = sizeof request;
    request.kind = SONDE_TAP_EXIT;
    return request;
  }

  std::vector<std::string> messages;
  TestProvider provider;
  RecordingSource source;
  Framework framework{&source};
  dtrace_id_t a = 0, b = 0;
};

TEST_F(Calls, CredentialsAreIgnored) {
  const dtrace_pops_t ops = TestProvider::pops();
  dtrace_provider_id_t other = 0;
  int anything = 0;
  EXPECT_EQ(dtrace_register("other", &kTestAttributes, DTRACE_PRIV_ALL & ~DTRACE_PRIV_KERNEL, &anything, &ops, nullptr,
                            &other),
            0);
}

/// A clause has a program for each probe that is described in D; one that was made later has none, and does not fire it.
TEST_F(Calls, AProbeInDFiresOnlyWhatWasCompiledForIt) {
  const char* argument = "arg1";
  sonde_probe_in_d(a, nullptr, "arg0 == 3", &argument, 1);
  const std::vector<ToldProbe> told = framework.told(std::vector<ProbeId>{{a}, {b}});
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].texts->when, "arg0 == 3");
  EXPECT_EQ(told[0].texts->arguments, std::vector<std::string>{"arg1"});
  Enabling later = enabling_of({"test", "", "", "", {}}, record_nothing()), compiled = later;
  compiled.programs = {{{a}, record_nothing()}};
  const auto first = framework.enable(later), second = framework.enable(compiled);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(framework.joined(*first).probes, (std::vector<ProbeId>{{b}}));
  EXPECT_EQ(framework.joined(*second).probes, (std::vector<ProbeId>{{a}, {b}}));
}

/// dtps_getargdesc is called for each index from 0 to 9, in turn; only DTRACE_ARGNONE in dtargd_ndx says something.
TEST_F(Calls, TenArgumentsAreDescribed) {
  std::vector<int> asked;
  provider.on_getargdesc = [&](dtrace_id_t id, dtrace_argdesc_t* desc) {
    EXPECT_EQ(id, a);
    EXPECT_EQ(desc->dtargd_id, a);
    asked.push_back(desc->dtargd_ndx);
    std::snprintf(desc->dtargd_native, sizeof desc->dtargd_native, "int");
    if (desc->dtargd_ndx == 3) desc->dtargd_ndx = 12345;
    if (desc->dtargd_ndx == 4) desc->dtargd_ndx = DTRACE_ARGNONE;
  };
  const auto arguments = framework.arguments({a});
  EXPECT_THAT(asked, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  ASSERT_EQ(arguments.size(), 9u);
  EXPECT_EQ(arguments[3].index, 3);
  EXPECT_EQ(arguments[3].mapping, 3);
  EXPECT_EQ(arguments[4].index, 5);
}

TEST_F(Calls, APlaceInWordsIsOfOneArgument) {
  provider.on_getargdesc = [&](dtrace_id_t, dtrace_argdesc_t* desc) {
    if (desc->dtargd_ndx == 0) sonde_argument_place("%esi", 4);
    if (desc->dtargd_ndx == 2) sonde_argument_place(nullptr, 0);
  };
  const auto arguments = framework.arguments({a});
  ASSERT_EQ(arguments.size(), 10u);
  EXPECT_EQ(arguments[0].place, "%esi");
  EXPECT_EQ(arguments[0].size, 4u);
  EXPECT_EQ(arguments[1].place, "");
  EXPECT_EQ(arguments[1].size, 0u);
  EXPECT_EQ(arguments[2].place, "");
}

TEST(CallsOfGetargval, IsGivenWhatTheProbeWasMadeWith) {
  static std::vector<int> given;
  given.clear();
  dtrace_pops_t ops = TestProvider::pops();
  ops.dtps_getargval = [](void*, dtrace_id_t, void*, int number, int aframes) -> uint64_t {
    given.insert(given.end(), {number, aframes});
    EXPECT_EQ(dtrace_getarg(4, aframes), 14u);
    for (int none : {-1, 5, 9, 10, INT_MAX, INT_MIN}) EXPECT_EQ(dtrace_getarg(none, aframes), 0u) << none;
    return 1;
  };
  TestProvider provider;
  Framework framework{nullptr};
  ASSERT_EQ(provider.add("test", ops), 0);
  const dtrace_id_t probe = dtrace_probe_create(provider.id, "m", "f", "n", 42, nullptr);
  ASSERT_TRUE(framework.enable(enabling_of({"test", "", "", "", {}}, record_argument(7))));
  dtrace_probe(probe, 10, 11, 12, 13, 14);
  EXPECT_THAT(given, ElementsAre(7, 42));
}

TEST_F(Calls, TheFirstReasonCounts) {
  in_provide([] {
    sonde_provide_error("D_FIRST", "because of this");
    sonde_provide_error("D_SECOND", "and of that");
  });
  ASSERT_TRUE(framework.provide_error());
  EXPECT_EQ(framework.provide_error()->tag, "D_FIRST");
  EXPECT_EQ(framework.provide_error()->message, "because of this");
}

TEST_F(Calls, ARefusedProbeAloneIsAnError) {
  in_provide([&] { sonde_probe_refuse(a, "its queue is gone", 0); });
  EXPECT_TRUE(framework.match({"test", "", "a", "", {}}).empty());
  EXPECT_EQ(framework.provide_error()->message, "probe test:mod:a:n cannot be armed: its queue is gone");
  EXPECT_EQ(framework.refusal({a}), "its queue is gone");
  in_provide([&] { sonde_probe_refuse(a, nullptr, 0); });
  EXPECT_THAT(framework.match({"test", "", "a", "", {}}), ElementsAre(ProbeId{a}));
}

TEST_F(Calls, ARefusedProbeAmongOthersIsLeftOutAndReportedOnce) {
  in_provide([&] { sonde_probe_refuse(a, "its queue is gone", 0); });
  ASSERT_TRUE(enable());
  EXPECT_EQ(provider.count("enable " + std::to_string(a)), 0);
  EXPECT_EQ(provider.count("enable " + std::to_string(b)), 1);
  ASSERT_TRUE(framework.retry_enablings());
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_THAT(messages[0], HasSubstr("one probe is left out, mod:a:n: its queue is gone"));
}

TEST_F(Calls, ARefusedProbeMayBeLeftOutQuietly) {
  in_provide([&] { sonde_probe_refuse(a, "its queue is gone", 1); });
  ASSERT_TRUE(enable());
  EXPECT_EQ(provider.count("enable " + std::to_string(a)), 0);
  EXPECT_THAT(messages, ElementsAre());
}

TEST_F(Calls, GlobsMatchAsInDescriptions) {
  EXPECT_TRUE(sonde_glob_match("", "anything"));
  EXPECT_TRUE(sonde_glob_match("", ""));
  EXPECT_TRUE(sonde_glob_match("f?o*", "foobar"));
  EXPECT_TRUE(sonde_glob_match("[a-c]x", "bx"));
  EXPECT_FALSE(sonde_glob_match("foo", "foobar"));
  EXPECT_FALSE(sonde_glob_match("[!a]x", "ax"));
}

TEST_F(Calls, AMessageIsPrintedOnce) {
  in_provide([] {
    for (const char* text : {"one", "two", "one"}) sonde_print_message(text);
  });
  provider.on_enable = [](dtrace_id_t) { sonde_print_message("two"); };
  ASSERT_TRUE(enable());
  EXPECT_THAT(messages, ElementsAre("one", "two"));
}

TEST_F(Calls, DisarmTakesAllTapsOfTheProbeOfTheOp) {
  const sonde_tap_request request = exits();
  provider.on_enable = [&](dtrace_id_t id) {
    EXPECT_EQ(sonde_tap_arm(id, &request), 0);
    EXPECT_EQ(sonde_tap_arm(id, &request), 0);
    if (id == a) sonde_tap_disarm(id);
    if (id == b) sonde_tap_disarm(a);
    if (id == a) EXPECT_EQ(sonde_tap_arm(id, &request), 0);
  };
  auto enabled = enable();
  ASSERT_TRUE(enabled);
  std::vector<uint32_t> armed;
  for (const Tap& tap : source.taps) armed.push_back(tap.probe.value);
  EXPECT_THAT(armed, ::testing::UnorderedElementsAre(a, b, b));
  provider.on_disable = [](dtrace_id_t id) { sonde_tap_disarm(id); };
  ASSERT_TRUE(framework.disable(*enabled));
  EXPECT_TRUE(source.taps.empty());
}

/// A tap that names this machine is a tap of it; one of another machine is refused.
TEST_F(Calls, ATapMayNameItsMachine) {
  std::vector<int> said;
  std::ifstream file("/proc/self/exe", std::ios::binary);
  Elf64_Ehdr header;
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  provider.on_enable = [&](dtrace_id_t id) {
    sonde_tap_request request = exits();
    for (const uint32_t machine : {uint32_t{header.e_machine}, header.e_machine + 1u, 0u}) {
      request.machine = machine;
      said.push_back(sonde_tap_arm(id, &request));
    }
  };
  ASSERT_TRUE(enable("a"));
  EXPECT_THAT(said, ElementsAre(0, ENOTSUP, 0));
}

TEST_F(Calls, ATapsListsAreThereIfItCountsThem) {
  std::vector<int> said;
  provider.on_enable = [&](dtrace_id_t id) {
    sonde_tap_request request = exits();
    request.kind = SONDE_TAP_USER_ENTRY;
    request.path = kLibc;
    request.location_count = 1;
    said.push_back(sonde_tap_arm(id, &request));
    const std::vector<sonde_location> many(SONDE_LOCATIONS_MAX + 1);
    request.locations = many.data();
    request.location_count = SONDE_LOCATIONS_MAX + 1;
    said.push_back(sonde_tap_arm(id, &request));
  };
  ASSERT_TRUE(enable("a"));
  EXPECT_THAT(said, ElementsAre(EINVAL, EINVAL));
}

TEST_F(Calls, WhatTheSourceCan) {
  EXPECT_TRUE(sonde_has_source());
  EXPECT_FALSE(sonde_is_listing());
  framework.listing = true;
  EXPECT_TRUE(sonde_is_listing());
  framework.listing = false;
  source.can = kPtraceRow.can;
  for (int kind = 0; kind < SONDE_TAP_KIND_COUNT; kind++)
    EXPECT_EQ(sonde_tap_possible(static_cast<sonde_tap_kind>(kind)) != 0,
              kPtraceRow.can.taps.contains(static_cast<sonde_tap_kind>(kind)))
        << kind;
  const auto each = [&](bool value) {
    source.can.memory_taps = source.can.compat_calls = source.can.unnamed_calls = value;
    EXPECT_EQ(sonde_tap_memory_possible() != 0, value);
    EXPECT_EQ(sonde_compat_calls_possible() != 0, value);
    EXPECT_EQ(sonde_unnamed_calls_possible() != 0, value);
  };
  each(true);
  each(false);
}

TEST(CallsWithoutSource, EverythingIsPossible) {
  Framework framework{nullptr};
  EXPECT_FALSE(sonde_has_source());
  for (int kind = 0; kind < SONDE_TAP_KIND_COUNT; kind++)
    EXPECT_TRUE(sonde_tap_possible(static_cast<sonde_tap_kind>(kind))) << kind;
  EXPECT_TRUE(sonde_tap_memory_possible());
  EXPECT_TRUE(sonde_compat_calls_possible());
  EXPECT_TRUE(sonde_unnamed_calls_possible());
}

TEST_F(Calls, NamesOfSourcesStayWhereTheyAre) {
  const char* first = sonde_sources_with(SONDE_TAP_SYSCALL_ENTRY, 0);
  const std::string text = first;
  EXPECT_THAT(text, HasSubstr("ptrace"));
  EXPECT_EQ(sonde_sources_with(SONDE_TAP_SYSCALL_ENTRY, 0), first);
  EXPECT_EQ(first, text);
  EXPECT_STRNE(sonde_sources_with(SONDE_TAP_USER_ENTRY, 1), "");
}

TEST_F(Calls, MappingsOfAProcess) {
  std::vector<sonde_mapping> found;
  const auto visit = [](void* to, const sonde_mapping* one) {
    static_cast<std::vector<sonde_mapping>*>(to)->push_back(*one);
  };
  EXPECT_EQ(sonde_mappings(static_cast<uint32_t>(getpid()), visit, &found), 0);
  const auto is_program = [](const sonde_mapping& one) { return one.program == 1; };
  const auto program = std::ranges::find_if(found, is_program);
  ASSERT_NE(program, found.end());
  char path[4096] = "";
  ASSERT_GT(readlink("/proc/self/exe", path, sizeof path - 1), 0);
  EXPECT_STREQ(program->path, path);
  for (const sonde_mapping& one : found) {
    EXPECT_LT(one.start, one.end);
    EXPECT_EQ(access(one.file, R_OK), 0) << one.file;
    EXPECT_EQ(one.program == 1, std::string(one.path) == path);
  }
  found.clear();
  const int gone = sonde_mappings(INT_MAX, visit, &found);
  EXPECT_TRUE(gone == ESRCH || gone == ENOENT) << gone;
  provider.on_enable = [&](dtrace_id_t) {
    EXPECT_EQ(sonde_mappings(static_cast<uint32_t>(getpid()), visit, &found), EPERM);
  };
  ASSERT_TRUE(enable("a"));
  EXPECT_TRUE(found.empty());
}

/// `file` opens what is mapped, though its path leads nowhere.
TEST_F(Calls, AMappingOfADeletedFileCanBeOpened) {
  const std::string path = testing::TempDir() + "provider_calls_mapped";
  std::ofstream(path) << std::string(5000, 'x');
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  void* at = mmap(nullptr, 5000, PROT_READ | PROT_EXEC, MAP_PRIVATE, file.get(), 0);
  ASSERT_NE(at, MAP_FAILED);
  unlink(path.c_str());
  struct Seen {
    std::string path, text;
  } seen{path, ""};
  const auto visit = [](void* to, const sonde_mapping* one) {
    auto& sought = *static_cast<Seen*>(to);
    if (!std::string_view(one->path).starts_with(sought.path)) return;
    EXPECT_EQ(one->path, sought.path);
    std::getline(std::ifstream(one->file) >> std::ws, sought.text);
  };
  EXPECT_EQ(sonde_mappings(static_cast<uint32_t>(getpid()), visit, &seen), 0);
  munmap(at, 5000);
  if (geteuid() != 0) GTEST_SKIP() << "only root may open what no path leads to";
  EXPECT_EQ(seen.text, std::string(5000, 'x'));
}

TEST_F(Calls, PlacesHaveReasonsWhyNot) {
  const auto places = [](const char* path, const char* function, sonde_tap_kind kind) {
    const auto visit = [](void* count, const sonde_place*) { ++*static_cast<int*>(count); };
    int visited = 0;
    const int error = sonde_function_places(path, function, kind, visit, &visited);
    EXPECT_EQ(visited > 0, error == 0) << path << " " << function;
    return error;
  };
  EXPECT_EQ(places("/no/such/file", "malloc", SONDE_TAP_USER_ENTRY), ENOENT);
  EXPECT_EQ(places("/etc/passwd", "malloc", SONDE_TAP_USER_ENTRY), ENOEXEC);
  EXPECT_EQ(places(kLibc, "abort", SONDE_TAP_USER_ENTRY), 0);
  EXPECT_EQ(places(kLibc, "abort", SONDE_TAP_USER_RETURN), ENOTSUP);
  EXPECT_EQ(places(kLibc, "malloc", SONDE_TAP_SYSCALL_ENTRY), EINVAL);
  for (const char* alias : {"write", "__write"}) EXPECT_EQ(places(kLibc, alias, SONDE_TAP_USER_ENTRY), 0) << alias;
}

TEST_F(Calls, FilesAreFollowedOnce) {
  in_provide([] {
    for (const char* wildcard : {"*/libx.so*", "*/liby.so*", "*/libx.so*"}) sonde_follow_files(wildcard);
  });
  EXPECT_THAT(source.calls, ElementsAre("follow */libx.so*", "follow */liby.so*"));
}

TEST_F(Calls, ComeFromAnyThread) {
  std::atomic<int> made{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; t++) {
    threads.emplace_back([&, t] {
      TestProvider own;
      ASSERT_EQ(own.add(("thread" + std::to_string(t)).c_str()), 0);
      for (int i = 0; i < 100; i++) {
        const std::string name = "n" + std::to_string(i);
        const dtrace_id_t id = own.probe("f", name.c_str());
        made += id != 0 && dtrace_probe_lookup(own.id, "mod", "f", name.c_str()) == id;
        (void)framework.match({"test", "", "a", "", {}});
      }
      EXPECT_EQ(dtrace_condense(own.id), 0);
      EXPECT_EQ(dtrace_unregister(own.id), 0);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 800);
  EXPECT_EQ(framework.match({"thread*", "", "", "", {}}).size(), 0u);
}

}  // namespace
}  // namespace sonde
