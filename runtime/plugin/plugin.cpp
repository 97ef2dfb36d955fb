// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/plugin/plugin.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstring>

#include "runtime/framework/context.h"
#include "runtime/framework/op_scope.h"

namespace sonde {
namespace {

struct Struct {
  const char* name;
  uint32_t theirs, ours;
};

/// What is wrong with the interface that it was compiled with; empty: nothing.
std::string check_header(const struct sonde_plugin& plugin) {
  constexpr uint32_t kVersionEnds = offsetof(struct sonde_plugin, abi) + sizeof plugin.abi;
  if (plugin.size < kVersionEnds) return "its sonde_plugin is no struct sonde_plugin";
  if (plugin.abi < SONDE_PROVIDER_ABI_LEAST || plugin.abi > SONDE_PROVIDER_ABI) {
    const std::string ours = std::to_string(SONDE_PROVIDER_ABI);
    return "it was made for provider interface " + std::to_string(plugin.abi) + ", and this is " + ours +
           (plugin.abi > SONDE_PROVIDER_ABI ? ": a newer Sonde runs it" : ": it must be compiled again");
  }
  const Struct structs[] = {{"struct sonde_plugin", plugin.size, sizeof(struct sonde_plugin)},
                            {"dtrace_pops_t", plugin.pops_size, sizeof(dtrace_pops_t)},
                            {"dtrace_pattr_t", plugin.pattr_size, sizeof(dtrace_pattr_t)},
                            {"dtrace_probedesc_t", plugin.probedesc_size, sizeof(dtrace_probedesc_t)},
                            {"dtrace_argdesc_t", plugin.argdesc_size, sizeof(dtrace_argdesc_t)}};
  for (const Struct& one : structs) {
    if (one.theirs != one.ours)
      return std::string("its ") + one.name + " has " + std::to_string(one.theirs) + " bytes, not " +
             std::to_string(one.ours) + ": it was compiled with another provider.h";
  }
  if (plugin.start == nullptr || plugin.stop == nullptr) return "its sonde_plugin has no start() or no stop()";
  for (const sonde_text* text = plugin.texts; text != nullptr && text->file != nullptr; text++)
    if (text->text == nullptr) return std::string("its D text ") + text->file + " is NULL";
  return {};
}

/// Its sonde_plugin. Errors: it exports none, or a function of that name.
Result<const struct sonde_plugin*> exported_by(void* handle) {
  void* found = ::dlsym(handle, "sonde_plugin");
  if (found == nullptr) return Error("it exports no sonde_plugin: SONDE_PLUGIN() defines it");
  Dl_info file;
  void* symbol = nullptr;
  const bool known = ::dladdr1(found, &file, &symbol, RTLD_DL_SYMENT) != 0 && symbol != nullptr;
  if (known && ELF64_ST_TYPE(static_cast<const ElfW(Sym)*>(symbol)->st_info) == STT_FUNC)
    return Error("its sonde_plugin is a function, not the struct that SONDE_PLUGIN() defines");
  return static_cast<const struct sonde_plugin*>(found);
}

/// Why the file cannot be loaded. A plug-in of an older interface may lack a function that was renamed since: then the
/// interface is the reason, and not the function, which dlopen() names.
Error not_loaded(const std::string& path) {
  const std::string why = "it cannot be loaded: " + std::string(::dlerror());
  void* handle = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  auto plugin = handle == nullptr ? Result<const struct sonde_plugin*>(Error(why)) : exported_by(handle);
  const std::string wrong = plugin ? check_header(**plugin) : "";
  return Error(wrong.empty() ? why : wrong);
}

/// "22, Invalid argument"; a number that is no errno stands alone.
std::string errno_text(int error) {
  const char* name = ::strerrordesc_np(error);
  return std::to_string(error) + ", " + (error > 0 && name != nullptr ? name : "which is no errno");
}

/// What is wrong with its start(); empty: it has started.
std::string run_start(const struct sonde_plugin& plugin, const Framework& framework) {
  const std::string before = framework.register_refusal();
  const size_t others = framework.providers().size();
  int error = 0;
  try {
    const OpScope scope(ProviderOp::Start, {"", plugin_of(&plugin)});
    error = plugin.start();
  } catch (...) {
    return "start() throws: " + exception_text();
  }
  const std::string why = framework.register_refusal();
  if (error != 0) return "start() returns " + errno_text(error) + (why.empty() || why == before ? "" : ": " + why);
  return framework.providers().size() > others ? "" : "start() registers no provider";
}

}  // namespace

Result<const struct sonde_plugin*> open_plugin(const std::string& path) {
  void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return not_loaded(path);
  auto plugin = exported_by(handle);
  if (!plugin) return plugin;
  if (const std::string wrong = check_header(**plugin); !wrong.empty()) return Error(wrong);
  return plugin;
}

Result<void> start_plugin(const struct sonde_plugin& plugin, Framework& framework) {
  const size_t before = framework.registered();
  const std::string wrong = run_start(plugin, framework);
  if (wrong.empty()) return {};
  std::string names;
  for (const std::string& name : framework.unregister_after(before)) names += (names.empty() ? "" : ", ") + name;
  return Error(wrong + (names.empty() ? "" : "; what it had registered is taken back: " + names));
}

void stop_plugin(const struct sonde_plugin& plugin) {
  run_op(ProviderOp::Stop, {"", plugin_of(&plugin)}, [&] { plugin.stop(); });
}

void ask_plugin(const std::string& path, Progress& progress) {
  progress.doing("its constructors");
  Framework framework(nullptr);
  auto plugin = open_plugin(path);
  if (!plugin) progress.fail(plugin.error().message());
  progress.doing("start()");
  if (auto started = start_plugin(**plugin, framework); !started) progress.fail(started.error().message());
  progress.doing("dtps_provide");
  for (ProbeId id : framework.match({})) {
    const ProbeInfo& info = framework.info(id);
    progress.doing("dtps_getargdesc of " + info.provider + ":" + info.module + ":" + info.function + ":" + info.name);
    (void)framework.arguments(id);
  }
  progress.doing("stop()");
  stop_plugin(**plugin);
  progress.doing("dtps_destroy");
}

}  // namespace sonde
