// SPDX-License-Identifier: GPL-3.0-or-later
// Taps on functions of a library: gz::deflate:start and :done, gz::inflate:..., in the system's libz and in each that a
// target has mapped. Written from docs/add-a-provider.md and docs/provider-interface.md alone.
#include <sonde/provider.h>
#include <sys/stat.h>

#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

dtrace_provider_id_t provider;

struct Place {
  std::string file;
  sonde_place place;
};
struct Probe {
  bool entry;
  std::vector<Place> places;
};
std::set<std::pair<dev_t, ino_t>> known;  ///< the files that have been looked at

void add_places(const char* file, const char* function, bool entry) {
  auto probe = std::make_unique<Probe>(Probe{entry, {}});
  std::pair<Probe*, const char*> found{probe.get(), file};
  const int error = sonde_function_places(
      file, function, entry ? SONDE_TAP_USER_ENTRY : SONDE_TAP_USER_RETURN,
      [](void* arg, const sonde_place* place) {
        const auto& [to, path] = *static_cast<std::pair<Probe*, const char*>*>(arg);
        to->places.push_back({path, *place});
      },
      &found);
  if (error != 0) return;
  const dtrace_id_t id = dtrace_probe_create(provider, "libz", function, entry ? "start" : "done", 0, probe.get());
  auto* made = static_cast<Probe*>(dtrace_probe_arg(provider, id));
  if (made == probe.get())
    (void)probe.release();
  else  // another libz has made it
    made->places.insert(made->places.end(), probe->places.begin(), probe->places.end());
}

void look_at(const char* file) {
  struct stat found {};
  if (::stat(file, &found) != 0 || !known.insert({found.st_dev, found.st_ino}).second) return;
  for (const char* function : {"deflate", "inflate"})
    for (bool entry : {true, false}) add_places(file, function, entry);
}

void look_at_target(void*, uint32_t pid) {
  sonde_follow(pid);
  sonde_mappings(
      pid,
      [](void*, const sonde_mapping* mapping) {
        if (std::strstr(mapping->path, "/libz.so") != nullptr) look_at(mapping->file);
      },
      nullptr);
}

void provide(void*, const dtrace_probedesc_t* spec) {
  if (spec == nullptr) look_at("/lib/x86_64-linux-gnu/libz.so.1");
  sonde_targets(look_at_target, nullptr);
}
void provide_module(void*, const char*) { sonde_targets(look_at_target, nullptr); }

void enable(void*, dtrace_id_t id, void* parg) {
  const auto* probe = static_cast<const Probe*>(parg);
  for (const Place& one : probe->places) {
    sonde_tap_request request{};
    request.size = sizeof request;
    request.kind = probe->entry ? SONDE_TAP_USER_ENTRY : SONDE_TAP_USER_RETURN;
    request.path = one.file.c_str();
    request.offset = one.place.offset;
    request.function = one.place.function;
    request.leave = one.place.leave;
    if (sonde_tap_arm(id, &request) != 0) sonde_print_message("gz: a function cannot be tapped");
  }
}
void disable(void*, dtrace_id_t id, void*) { sonde_tap_disarm(id); }

void getargdesc(void*, dtrace_id_t, void* parg, dtrace_argdesc_t* desc) {
  const bool entry = static_cast<const Probe*>(parg)->entry;
  if (desc->dtargd_ndx > (entry ? 1 : 0)) {
    desc->dtargd_ndx = DTRACE_ARGNONE;
  } else if (entry && desc->dtargd_ndx == 0) {
    std::strcpy(desc->dtargd_native, "struct z_stream_s *");
    std::strcpy(desc->dtargd_xlate, "gzstream_t *");
    desc->dtargd_mapping = 0;
  } else {  // flush at the beginning, the value at the end
    std::strcpy(desc->dtargd_native, "int");
    desc->dtargd_mapping = 1;
  }
}

void destroy(void*, dtrace_id_t, void* parg) { delete static_cast<Probe*>(parg); }

int start() {
  constexpr dtrace_attribute_t kEvolving = {DTRACE_STABILITY_EVOLVING, DTRACE_STABILITY_EVOLVING, DTRACE_CLASS_COMMON};
  const dtrace_pattr_t attributes = {kEvolving, kEvolving, kEvolving, kEvolving, kEvolving};
  dtrace_pops_t ops{};
  ops.dtps_provide = provide;
  ops.dtps_provide_module = provide_module;
  ops.dtps_enable = enable;
  ops.dtps_disable = disable;
  ops.dtps_getargdesc = getargdesc;
  ops.dtps_destroy = destroy;
  return dtrace_register("gz", &attributes, DTRACE_PRIV_USER, nullptr, &ops, nullptr, &provider);
}
void stop() { dtrace_unregister(provider); }

}  // namespace

SONDE_PLUGIN(start, stop, sonde_texts);
