// SPDX-License-Identifier: GPL-3.0-or-later
// Providers and fire parts made for tests.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/buffer/ring.h"
#include "runtime/framework/framework.h"
#include "runtime/framework/local_firing.h"

namespace sonde {

/// A verified program.
inline std::shared_ptr<const FireProgram> make_program(std::vector<sonde_dif_insn> insns,
                                                       std::vector<uint8_t> kinds = {}) {
  auto program = std::make_shared<FireProgram>();
  program->insns = std::move(insns);
  program->kinds = std::move(kinds);
  sonde_dif_program view = program->view();
  char why[200] = "";
  EXPECT_EQ(sonde_dif_verify(&view, why, sizeof why), 0) << why;
  program->record_max = view.record_max;
  return program;
}

/// Makes an empty record.
inline std::shared_ptr<const FireProgram> record_nothing() { return make_program({{SONDE_DIF_RECORD}}); }

/// Slot 0 = argument `number`.
inline std::shared_ptr<const FireProgram> record_argument(int number) {
  return make_program({{SONDE_DIF_ARG, 0, 0, 0, number}, {SONDE_DIF_CAPW, 0, 0}, {SONDE_DIF_RECORD}},
                      {SONDE_SLOT_WORD});
}

inline Enabling enabling_of(ProbeDescription description, std::shared_ptr<const FireProgram> program,
                            uint32_t clause = 0) {
  return {{std::move(description)}, clause, std::move(program), false};
}

/// Reads the records of local firings.
class LocalRecords {
 public:
  explicit LocalRecords(Framework& framework) {
    for (const MappedRing* ring : framework.mapped_rings()) merge_.add(*ring);
  }
  struct Seen {
    uint32_t epid, probe, pid, tid, flags;
    uint64_t timestamp, faults, slot0;
  };
  std::vector<Seen> take() {
    std::vector<Seen> seen;
    merge_.drain(monotonic_now(), true, [&](const sonde_record& record) {
      seen.push_back({record.epid, record.probe, record.pid, record.tid, record.flags, record.timestamp, record.faults,
                      record.slots > 0 ? record.slot[0] : 0});
    });
    return seen;
  }
  uint64_t drops() {
    uint64_t all = 0;
    for (const RingDrops& drops : merge_.take_drops()) all += drops.drops;
    return all;
  }

 private:
  MergeReader merge_;
};

inline constexpr dtrace_pattr_t kTestAttributes = {};

/// A provider whose ops are defined by the test; notes every op as "enable 4".
class TestProvider {
 public:
  std::vector<std::string> ops;
  dtrace_provider_id_t id = 0;
  std::function<void(const dtrace_probedesc_t*)> on_provide;
  std::function<void(const char*)> on_module;
  std::function<void(dtrace_id_t)> on_enable, on_disable, on_suspend, on_resume, on_destroy;
  std::function<void(dtrace_id_t, dtrace_argdesc_t*)> on_getargdesc;
  std::function<uint64_t(dtrace_id_t, int)> on_getargval;
  std::function<int(dtrace_id_t)> on_usermode;

  /// All ops except getargval and usermode, which change how a probe fires; a test adds them to pops() if needed.
  static dtrace_pops_t pops() {
    dtrace_pops_t ops = {};
    ops.dtps_provide = [](void* arg, const dtrace_probedesc_t* spec) {
      self(arg).ops.push_back(spec == nullptr ? "provide" : std::string("provide ") + spec->dtpd_name);
      if (self(arg).on_provide) self(arg).on_provide(spec);
    };
    ops.dtps_provide_module = [](void* arg, const char* module) {
      self(arg).ops.push_back(std::string("module ") + module);
      if (self(arg).on_module) self(arg).on_module(module);
    };
    ops.dtps_enable = [](void* arg, dtrace_id_t id, void*) { self(arg).note("enable", self(arg).on_enable, id); };
    ops.dtps_disable = [](void* arg, dtrace_id_t id, void*) { self(arg).note("disable", self(arg).on_disable, id); };
    ops.dtps_suspend = [](void* arg, dtrace_id_t id, void*) { self(arg).note("suspend", self(arg).on_suspend, id); };
    ops.dtps_resume = [](void* arg, dtrace_id_t id, void*) { self(arg).note("resume", self(arg).on_resume, id); };
    ops.dtps_destroy = [](void* arg, dtrace_id_t id, void*) { self(arg).note("destroy", self(arg).on_destroy, id); };
    ops.dtps_getargdesc = [](void* arg, dtrace_id_t id, void*, dtrace_argdesc_t* desc) {
      if (self(arg).on_getargdesc) return self(arg).on_getargdesc(id, desc);
      desc->dtargd_ndx = DTRACE_ARGNONE;
    };
    return ops;
  }
  static dtrace_pops_t pops_with_values() {
    dtrace_pops_t ops = pops();
    ops.dtps_getargval = [](void* arg, dtrace_id_t id, void*, int number, int) -> uint64_t {
      return self(arg).on_getargval ? self(arg).on_getargval(id, number) : 0;
    };
    ops.dtps_usermode = [](void* arg, dtrace_id_t id, void*) {
      return self(arg).on_usermode ? self(arg).on_usermode(id) : 1;
    };
    return ops;
  }

  int add(const char* name, const dtrace_pops_t& ops = pops()) {
    return dtrace_register(name, &kTestAttributes, DTRACE_PRIV_USER, nullptr, &ops, this, &id);
  }
  dtrace_id_t probe(const char* function, const char* name, void* parg = nullptr) {
    return dtrace_probe_create(id, "mod", function, name, 0, parg);
  }
  int count(const std::string& op) const { return static_cast<int>(std::count(ops.begin(), ops.end(), op)); }

 private:
  static TestProvider& self(void* arg) { return *static_cast<TestProvider*>(arg); }
  void note(const char* op, const std::function<void(dtrace_id_t)>& then, dtrace_id_t id) {
    ops.push_back(std::string(op) + " " + std::to_string(id));
    if (then) then(id);
  }
};

}  // namespace sonde
