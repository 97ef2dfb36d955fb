// SPDX-License-Identifier: GPL-3.0-or-later
// A plug-in that is right but for one moment: FAULT=MOMENT:WHAT in the environment, such as enable:crash, says when it
// does what. The first process that loads it, sonde's trial, sees nothing of that: MARK is a file that it makes. The
// provider is "faulty"; faulty:m:f:a fires by a thread, faulty:m:f:asked is made on demand.
#include <fcntl.h>
#include <pthread.h>
#include <sonde/provider.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

using Act = void (*)();

dtrace_provider_id_t provider;
dtrace_id_t a;
std::atomic<bool> goes_on, has_acted, fails;
std::thread worker;
bool on_trial;

std::string variable(const char* name) { return std::getenv(name) != nullptr ? std::getenv(name) : ""; }
const std::string fault = variable("FAULT"), mark = variable("MARK");

bool made(const std::string& file) {
  const int fd = open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

const std::map<std::string, Act> kFaults = {
    {"crash", [] { *reinterpret_cast<volatile int*>(8) = 1; }},
    {"abort", [] { std::abort(); }},
    {"exit", [] { std::exit(0); }},
    {"fail", [] { fails = true; }},  // start() only
    {"throw", [] { throw std::runtime_error("thrown"); }},
    {"spin",
     [] {
       for (;;) {
       }
     }},
    {"wait",
     [] {
       while (sleep(1000) != 0) continue;
     }},
    {"leak",
     [] {
       for (int i = 0; i < 50; i++) (void)!open("/dev/null", O_RDONLY);
     }},
    {"fork", [] { fork(); }},
    {"mask",
     [] {
       sigset_t all;
       sigfillset(&all);
       pthread_sigmask(SIG_SETMASK, &all, nullptr);
     }},
    {"handlers",
     [] {
       for (int signal = 1; signal < 32; signal++)
         if (signal != SIGKILL && signal != SIGSTOP) std::signal(signal, SIG_IGN);
     }},
    {"close",
     [] {
       for (int fd = 3; fd <= 200; fd++) close(fd);
     }},
    {"close_all",
     [] {
       for (int fd = 0; fd <= 200; fd++) close(fd);
     }},
};

/// Does what FAULT says of this moment, once.
void at(const std::string& moment) {
  if (on_trial || !fault.starts_with(moment + ":") || has_acted.exchange(true)) return;
  const auto found = kFaults.find(fault.substr(moment.size() + 1));
  if (found == kFaults.end()) return;
  made(mark + ".acts");
  found->second();
}

void fire() {
  for (uintptr_t number = 0; goes_on; number++) {
    dtrace_probe(a, number, 0, 0, 0, 0);
    at("fire");
    usleep(2000);
  }
}

void provide(void* /*arg*/, const dtrace_probedesc_t* spec) {
  if (spec == nullptr) {
    a = dtrace_probe_create(provider, "m", "f", "a", 0, nullptr);
    at("provide");
  } else if (sonde_glob_match(spec->dtpd_provider, "faulty") != 0) {
    if (sonde_glob_match(spec->dtpd_name, "asked") != 0) dtrace_probe_create(provider, "m", "f", "asked", 0, nullptr);
    at("asked");
  }
}

void enable(void* /*arg*/, dtrace_id_t id, void* /*parg*/) {
  if (id == a && !goes_on.exchange(true)) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    worker = std::thread(fire);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  at("enable");
}

void disable(void* /*arg*/, dtrace_id_t id, void* /*parg*/) {
  if (id == a && goes_on.exchange(false)) worker.join();
  at("disable");
}

void getargdesc(void* /*arg*/, dtrace_id_t /*id*/, void* /*parg*/, dtrace_argdesc_t* argument) {
  at("getargdesc");
  if (argument->dtargd_ndx != 0) argument->dtargd_ndx = DTRACE_ARGNONE;
  std::strcpy(argument->dtargd_native, "long");
}

uint64_t getargval(void* /*arg*/, dtrace_id_t /*id*/, void* /*parg*/, int /*number*/, int /*aframes*/) {
  at("getargval");
  return 77;
}

int usermode(void* /*arg*/, dtrace_id_t /*id*/, void* /*parg*/) {
  at("usermode");
  return 1;
}

void suspend(void* /*arg*/, dtrace_id_t /*id*/, void* /*parg*/) { at("suspend"); }
void resume(void* /*arg*/, dtrace_id_t /*id*/, void* /*parg*/) {}
void destroy(void* /*arg*/, dtrace_id_t /*id*/, void* /*parg*/) { at("destroy"); }

int start() {
  const dtrace_attribute_t evolving = {DTRACE_STABILITY_EVOLVING, DTRACE_STABILITY_EVOLVING, DTRACE_CLASS_COMMON};
  const dtrace_pattr_t attributes = {evolving, evolving, evolving, evolving, evolving};
  const dtrace_pops_t ops = {provide, nullptr,    enable,    disable,  suspend,
                             resume,  getargdesc, getargval, usermode, destroy};
  on_trial = !mark.empty() && made(mark);
  const int error = dtrace_register("faulty", &attributes, DTRACE_PRIV_USER, nullptr, &ops, nullptr, &provider);
  at("start");
  if (error != 0 || fails) return error != 0 ? error : EIO;
  sonde_on_target(
      provider, [](void*, uint32_t) { at("target"); }, nullptr);
  return sonde_on_target_end(
      provider, [](void*, uint32_t) { at("target_end"); }, nullptr);
}

void stop() {
  at("stop");
  dtrace_unregister(provider);
}

}  // namespace

SONDE_PLUGIN(start, stop, nullptr);
