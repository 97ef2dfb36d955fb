// SPDX-License-Identifier: GPL-3.0-or-later
// A plug-in that does one thing wrong, or odd: the value of BAD in the environment says what. Its provider, "bad", has the
// probes bad:m:f:a and bad:m:f:b, which a thread fires where the case is about firings.
#include <fcntl.h>
#include <pthread.h>
#include <sonde/provider.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

using Act = void (*)();
using Cases = std::map<std::string, Act>;

dtrace_provider_id_t provider;
dtrace_id_t probes[2], current;
std::atomic<bool> goes_on;
std::thread worker;

std::string wanted() { return std::getenv("BAD") != nullptr ? std::getenv("BAD") : ""; }

void run(const Cases& cases) {
  if (const auto found = cases.find(wanted()); found != cases.end()) found->second();
}

void say(const char* what, long value) { std::fprintf(stderr, "bad: %s = %ld\n", what, value); }
char* volatile g_nowhere = reinterpret_cast<char*>(8);
void crash() { *reinterpret_cast<volatile int*>(8) = 1; }
void spin() {
  for (;;) {
  }
}
void recurse(int depth) {
  volatile char block[4096];
  block[0] = static_cast<char>(depth);
  if (depth < 1 << 30) recurse(depth + 1);
  block[1] = block[0];
}
void begin_thread(Act act) {
  if (!goes_on.exchange(true)) worker = std::thread(act);
}
void end_thread() {
  if (goes_on.exchange(false) && worker.joinable()) worker.join();
}
void fire_until_the_end() {
  for (uintptr_t number = 0; goes_on; number++) {
    dtrace_probe(probes[0], number, 0, 0, 0, 0);
    usleep(1000);
  }
}
void fire_in_a_thread() { begin_thread(fire_until_the_end); }

int register_provider(const char* name);
dtrace_pops_t operations();

// -- dtps_provide(NULL) --

const char* const kOddNames[] = {"with space", "co:lon", "new\nline", "esc\033[31mred",
                                 "\xff\xfe",   "*star*", "/pred/",    ""};

void make_odd_names() {
  for (const char* name : kOddNames) say("an odd name", dtrace_probe_create(provider, "mod", "fun", name, 0, nullptr));
  say("a module of 256", dtrace_probe_create(provider, std::string(256, 'm').c_str(), "f", "n", 0, nullptr));
  say("a name of 64", dtrace_probe_create(provider, "m", "f", std::string(64, 'n').c_str(), 0, nullptr));
  say("no name", dtrace_probe_create(provider, "m", "f", nullptr, 0, nullptr));
  const dtrace_id_t first = dtrace_probe_create(provider, "m", "f", "twice", 0, probes);
  say("the same id", dtrace_probe_create(provider, "m", "f", "twice", 0, nullptr) == first);
  say("another provider's", dtrace_probe_create(provider + 77, "m", "f", "x", 0, nullptr));
}

const Cases kInProvide = {
    {"names", make_odd_names},
    {"context_provide", [] { say("unregister in provide", dtrace_unregister(provider)); }},
    {"throw_provide", [] { throw std::runtime_error("thrown in provide"); }},
    {"throw_number", [] { throw 42; }},
    {"spin_provide", spin},
    {"crash_provide", crash},
    {"exit_provide", [] { std::exit(5); }},
    {"recurse_provide", [] { recurse(0); }},
    {"fork_provide",
     [] {
       if (fork() == 0) _exit(0);
     }},
    {"noise_provide", [] { std::puts("noise on standard output"), std::fflush(stdout); }},
};

void provide(void* /*arg*/, const dtrace_probedesc_t* spec) {
  if (spec != nullptr) return;
  probes[0] = dtrace_probe_create(provider, "m", "f", "a", 0, nullptr);
  probes[1] = dtrace_probe_create(provider, "m", "f", "b", 0, nullptr);
  run(kInProvide);
}

// -- dtps_enable --

int divide(int number) {
  volatile int zero = 0;
  return number / zero;
}

void arm_bad_taps() {
  sonde_tap_request request{};
  request.size = sizeof request;
  request.kind = static_cast<sonde_tap_kind>(9999);
  say("kind 9999", sonde_tap_arm(current, &request));
  request.kind = SONDE_TAP_USER_ENTRY;
  say("no path", sonde_tap_arm(current, &request));
  request.path = "/bin/ls";
  say("another probe", sonde_tap_arm(current + 1, &request));
  request.size = 3;
  say("size 3", sonde_tap_arm(current, &request));
  say("no request", sonde_tap_arm(current, nullptr));
}

void call_everything() {
  say("register", register_provider("bad2"));
  say("unregister", dtrace_unregister(provider));
  say("create", dtrace_probe_create(provider, "m", "f", "late", 0, nullptr));
  say("lookup", dtrace_probe_lookup(provider, nullptr, nullptr, "a"));
  dtrace_probe(current, 1, 2, 3, 4, 5);
}

void change_registration() {
  while (goes_on && dtrace_unregister(provider) != 16) usleep(1000);  // EBUSY
  say("condense", dtrace_condense(provider));
  say("register the same name", register_provider("bad"));
  fire_until_the_end();
}

void invalidate() {
  dtrace_invalidate(provider);
  say("register again", register_provider("bad"));
  kill(getpid(), SIGINT);  // no probe can end the script now
}

void fire_without_end() {
  while (goes_on)
    for (dtrace_id_t id : {probes[0], probes[1], dtrace_id_t{0}, ~dtrace_id_t{0}}) dtrace_probe(id, 1, 0, 0, 0, 0);
}

const Cases kInEnable = {
    {"crash_enable", crash},
    {"bus_enable", [] { std::raise(SIGBUS); }},
    {"divide_enable", [] { say("divided", divide(100)); }},
    {"trap_enable", [] { __builtin_trap(); }},
    {"recurse_enable", [] { recurse(0); }},
    {"abort_enable", [] { std::abort(); }},
    {"exit_enable", [] { std::exit(7); }},
    {"exit_0_enable", [] { std::exit(0); }},
    {"throw_enable", [] { throw std::runtime_error("thrown in enable"); }},
    {"spin_enable", spin},
    {"sleep_enable",
     [] {
       while (sleep(1000) != 0) continue;
     }},
    {"context_enable", call_everything},
    {"tap_enable", arm_bad_taps},
    {"signals_enable",
     [] {
       for (int signal = 1; signal < 32; signal++)
         if (signal != SIGKILL && signal != SIGSTOP) std::signal(signal, SIG_IGN);
     }},
    {"descriptors_enable",
     [] {
       for (int fd = 3; fd <= 100; fd++) close(fd);
     }},
    {"fires_late", [] { begin_thread(fire_without_end); }},
    {"deadlock",
     [] {
       begin_thread([] {
         while (goes_on) usleep(1000);
         dtrace_probe_lookup(provider, nullptr, nullptr, "a");  // waits for dtps_disable, which joins this thread
       });
     }},
    {"unregister_enabled", [] { begin_thread(change_registration); }},
    {"invalidate_enabled", [] { begin_thread(invalidate); }},
    {"crash_thread", [] { begin_thread([] { say("length", static_cast<long>(std::strlen(g_nowhere))); }); }},
    {"abort_thread", [] { begin_thread([] { std::abort(); }); }},
    {"exit_thread", [] { begin_thread([] { std::exit(0); }); }},
    {"throw_thread", [] { begin_thread([] { throw 1; }); }},
    {"crash_getargval", fire_in_a_thread},
    {"throw_getargval", fire_in_a_thread},
    {"spin_getargval", fire_in_a_thread},
    {"exit_getargval", fire_in_a_thread},
    {"crash_usermode", fire_in_a_thread},
    {"context_usermode", fire_in_a_thread},
    {"fires", fire_in_a_thread},
};

void enable(void* /*arg*/, dtrace_id_t id, void* /*parg*/) {
  current = id;
  run(kInEnable);
}

// -- the other ops --

const Cases kInDisable = {
    {"crash_disable", crash},
    {"exit_disable", [] { std::exit(0); }},
    {"throw_disable", [] { throw std::runtime_error("thrown in disable"); }},
    {"spin_disable", spin},
};

void disable(void* /*arg*/, dtrace_id_t /*id*/, void* /*parg*/) {
  run(kInDisable);
  if (wanted() != "fires_late") end_thread();
}

/// Types that are none, and mappings that lead nowhere.
struct BadArgument {
  const char *native, *translated;
  int mapping;
};
const std::map<std::string, BadArgument> kBadArguments = {
    {"type_unknown", {"no such type *", "", 0}},
    {"type_cut", {"struct { int", "", 0}},
    {"type_endless", {nullptr, "", 0}},
    {"type_void", {"void", "", 0}},
    {"type_empty", {"", "", 0}},
    {"type_script", {"int; } BEGIN { exit(3); }", "", 0}},
    {"type_misspelt", {"unsinged long", "", 0}},
    {"translator_missing", {"int", "no_translator_t", 0}},
    {"translator_of_text", {"int", "text_t *", 0}},
    {"mapping_far", {"int", "", 99}},
    {"mapping_below", {"int", "", -5}},
    {"type_of_program", {"app::list<int> &", "", 0}},
    {"type_of_go", {"*main.List", "", 0}},
};

void describe_badly(dtrace_argdesc_t& argument, const BadArgument& how) {
  if (argument.dtargd_ndx != 2) {
    argument.dtargd_ndx = DTRACE_ARGNONE;
    return;
  }
  if (how.native != nullptr)
    std::strcpy(argument.dtargd_native, how.native);
  else
    std::memset(argument.dtargd_native, 'x', sizeof argument.dtargd_native);
  std::strcpy(argument.dtargd_xlate, how.translated);
  argument.dtargd_mapping = how.mapping;
}

void getargdesc(void* /*arg*/, dtrace_id_t /*id*/, void* /*parg*/, dtrace_argdesc_t* argument) {
  if (wanted() == "crash_getargdesc") crash();
  if (const auto bad = kBadArguments.find(wanted()); bad != kBadArguments.end())
    return describe_badly(*argument, bad->second);
  if (argument->dtargd_ndx > 6) {
    argument->dtargd_ndx = DTRACE_ARGNONE;
    return;
  }
  std::strcpy(argument->dtargd_native, "long");
  argument->dtargd_mapping = argument->dtargd_ndx;
}

const Cases kInGetargval = {
    {"crash_getargval", crash},
    {"throw_getargval", [] { throw 1; }},
    {"spin_getargval", spin},
    {"exit_getargval", [] { std::exit(0); }},
};

uint64_t getargval(void* /*arg*/, dtrace_id_t /*id*/, void* /*parg*/, int /*number*/, int /*aframes*/) {
  run(kInGetargval);
  return 77;
}

const Cases kInUsermode = {
    {"crash_usermode", crash},
    {"context_usermode", [] { dtrace_probe_lookup(provider, nullptr, nullptr, "a"); }},
};

int usermode(void* /*arg*/, dtrace_id_t /*id*/, void* /*parg*/) {
  run(kInUsermode);
  return 1;
}

const Cases kInDestroy = {
    {"crash_destroy", crash},
    {"context_destroy", [] { dtrace_probe_create(provider, "m", "f", "again", 0, nullptr); }},
};

void destroy(void* /*arg*/, dtrace_id_t /*id*/, void* /*parg*/) { run(kInDestroy); }

dtrace_pops_t operations() {
  dtrace_pops_t all{};
  all.dtps_provide = provide;
  all.dtps_enable = enable;
  all.dtps_disable = disable;
  all.dtps_getargdesc = getargdesc;
  if (wanted().find("getargval") != std::string::npos) all.dtps_getargval = getargval;
  all.dtps_usermode = usermode;
  all.dtps_destroy = wanted() == "no_destroy" ? nullptr : destroy;
  if (wanted() == "half_suspend") all.dtps_suspend = enable;
  if (wanted() == "garbage_ops") std::memset(&all, 0x41, sizeof all);
  return all;
}

int register_provider(const char* name) {
  static const dtrace_attribute_t evolving = {DTRACE_STABILITY_EVOLVING, DTRACE_STABILITY_EVOLVING,
                                              DTRACE_CLASS_COMMON};
  dtrace_pattr_t attributes = {evolving, evolving, evolving, evolving, evolving};
  if (wanted() == "attributes") std::memset(&attributes, 0x77, sizeof attributes);
  const dtrace_pops_t all = operations();
  const uint32_t priv = wanted() == "priv" ? 0xdeadbeef : DTRACE_PRIV_USER;
  return dtrace_register(name, &attributes, priv, nullptr, &all, nullptr,
                         std::strcmp(name, "bad") == 0 ? &provider : new dtrace_provider_id_t);
}

/// A crash in the second process that loads the plug-in: the first is the trial's.
void crash_unless_on_trial() {
  const char* mark = std::getenv("BAD_MARK");
  const int made = open(mark, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (made < 0) crash();
  close(made);
}

const Cases kInStart = {
    {"crash_start", crash},
    {"exit_start", [] { std::exit(3); }},
    {"throw_start", [] { throw std::runtime_error("in start"); }},
    {"crash_second_start", crash_unless_on_trial},
    {"environment_start", [] { say("moved", chdir("/proc")), umask(0777), setenv("LC_ALL", "xx", 1); }},
    {"thread_left",
     [] {
       std::thread([] {
         for (;;) sleep(1);
       }).detach();
     }},
};

int start() {
  run(kInStart);
  if (wanted() == "registers_nothing") return 0;
  if (wanted() == "strange_errno") return -12345;
  if (wanted() == "taken") return register_provider("syscall");
  if (wanted() == "odd_provider") return register_provider("with space");
  const int error = register_provider("bad");
  if (wanted() == "double") say("second register", register_provider("bad"));
  return error;
}

const Cases kInStop = {{"crash_stop", crash}, {"spin_stop", spin}, {"exit_stop", [] { std::exit(0); }}};

void stop() {
  if (wanted() == "stop_nothing") return;
  run(kInStop);
  end_thread();
  const int error = dtrace_unregister(provider);
  if (error != 0) say("unregister in stop", error);
  if (wanted() == "double_unregister") say("second unregister", dtrace_unregister(provider));
}

/// D texts that are wrong, each in its own way.
constexpr struct {
  const char *name, *text;
} kTexts[] = {
    {"text_cut", "typedef struct text { int t_one; } text_t;\ntranslator text_t < int T > { t_one = "},
    {"text_semicolon", "typedef struct text { int t_one; } text_t\ntranslator text_t < int T > { t_one = T; };"},
    {"text_member", "typedef struct text { int t_one; } text_t;\ntranslator text_t < int T > { t_wto = T; };"},
    {"text_name", "inline int TWICE = 2 * ONCE;"},
    {"text_null", nullptr},
    {"translator_of_text",
     "typedef struct text { int t_one; } text_t;\ntranslator text_t < long *T > { t_one = *T; };"},
    {"text_later", "typedef struct text { int t_one; } text_t;\ntranslator text_t < int T > { t_one = T + ONCE; };"},
    {"text_type", "typedef struct text { int t_one; } text_t;\ntranslator text_t < int T > { t_one = \"one\"; };"},
    {"text_unused", "inline int ONCE = 1; typedef struct text { int t_one; } text_t;"},
};
sonde_text texts[] = {{nullptr, nullptr}, {nullptr, nullptr}};

__attribute__((constructor)) void construct() {
  for (const auto& one : kTexts)
    if (wanted() == one.name) texts[0] = {"bad.d", one.text};
  if (wanted() == "crash_constructor") crash();
  if (wanted() == "exit_constructor") _exit(0);
}
__attribute__((destructor)) void destruct() {
  if (wanted() == "crash_destructor") crash();
}

}  // namespace

SONDE_PLUGIN(start, stop, texts);
