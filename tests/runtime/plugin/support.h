// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gmock/gmock.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace sonde {

/// A folder with plug-ins that are compiled when the test runs.
class PluginTest : public ::testing::Test {
 protected:
  PluginTest() {
    char name[] = "/tmp/sonde-plugin-XXXXXX";
    folder = ::mkdtemp(name);
  }
  ~PluginTest() override { std::filesystem::remove_all(folder); }

  /// Compiles C, or C++ according to the name; returns the path of FOLDER/NAME.so. The header is included, and
  /// `start()` registers `ops` as "try".
  std::string build(const std::string& name, const std::string& source, const std::string& ending = ".c") {
    const std::string path = folder + "/" + name;
    std::ofstream(path + ending)
        << "#include <stdlib.h>\n#include <string.h>\n#include \"runtime/framework/provider.h\"\n"
        << source;
    const std::string command =
        (ending == ".c" ? "cc -std=c99 -pedantic" : "c++ -std=c++17") +
        std::string(" -Wall -Werror -D_GNU_SOURCE -shared -fPIC -pthread -I" SONDE_TESTS_FOLDER "/.. -o ") + path +
        ".so " + path + ending;
    EXPECT_EQ(std::system(command.c_str()), 0);
    return path + ".so";
  }

  /// A provider, "try", with one probe, try:::one. `more` is inserted before start(), and may define the macros
  /// IN_PROVIDE, IN_ARGUMENTS, IN_ENABLE, IN_DISABLE, IN_START, IN_STOP, and NO_DESTROY.
  std::string provider(const std::string& name, const std::string& more, const std::string& ending = ".c") {
    return build(name, more + R"(
#ifndef IN_PROVIDE
#define IN_PROVIDE
#endif
#ifndef IN_ARGUMENTS
#define IN_ARGUMENTS
#endif
#ifndef IN_ENABLE
#define IN_ENABLE
#endif
#ifndef IN_DISABLE
#define IN_DISABLE
#endif
#ifndef IN_START
#define IN_START
#endif
#ifndef IN_STOP
#define IN_STOP dtrace_unregister(provider)
#endif
#ifdef NO_DESTROY
#define DESTROY 0
#else
#define DESTROY destroy
static void destroy(void* arg, dtrace_id_t id, void* parg) { (void)arg; (void)id; (void)parg; }
#endif
static dtrace_provider_id_t provider;
static dtrace_id_t one;
static void provide(void* arg, const dtrace_probedesc_t* spec) {
  (void)arg;
  if (spec != 0) return;
  one = dtrace_probe_create(provider, "", "", "one", 0, 0);
  IN_PROVIDE;
}
static void enable(void* arg, dtrace_id_t id, void* parg) { (void)arg; (void)id; (void)parg; IN_ENABLE; }
static void disable(void* arg, dtrace_id_t id, void* parg) { (void)arg; (void)id; (void)parg; IN_DISABLE; }
static void getargdesc(void* arg, dtrace_id_t id, void* parg, dtrace_argdesc_t* desc) {
  (void)arg; (void)id; (void)parg;
  IN_ARGUMENTS;
  desc->dtargd_ndx = DTRACE_ARGNONE;
}
static int start(void) {
  static dtrace_pattr_t attributes;
  dtrace_pops_t ops = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  ops.dtps_provide = provide;
  ops.dtps_enable = enable;
  ops.dtps_disable = disable;
  ops.dtps_getargdesc = getargdesc;
  ops.dtps_destroy = DESTROY;
  IN_START;
  return dtrace_register("try", &attributes, DTRACE_PRIV_USER, 0, &ops, 0, &provider);
}
static void stop(void) { IN_STOP; }
#ifndef TEXTS
#define TEXTS 0
#endif
SONDE_PLUGIN(start, stop, TEXTS);
)",
                 ending);
  }

  std::string folder;
};

}  // namespace sonde
