// SPDX-License-Identifier: GPL-3.0-or-later
// Plug-ins that fail their check are named with the reason, and left out; the others are loaded.
#include "runtime/plugin/plugins.h"

#include <sys/stat.h>

#include "runtime/framework/framework.h"
#include "tests/runtime/plugin/support.h"

namespace sonde {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Bad : public PluginTest {
 protected:
  /// Why the plug-in is left out; "" if it is not.
  static std::string verdict(const std::string& path, Trial::Patience patience = {}) {
    Plugins plugins({{path}, {}, {}}, patience);
    Framework framework(nullptr);
    plugins.start(framework);
    if (plugins.left_out().empty()) return "";
    const std::string head = "provider " + path + " is left out: ";
    EXPECT_TRUE(plugins.left_out()[0].starts_with(head)) << plugins.left_out()[0];
    return plugins.left_out()[0].substr(std::min(head.size(), plugins.left_out()[0].size()));
  }
};

TEST_F(Bad, NotThere) { EXPECT_THAT(verdict(folder + "/none.so"), HasSubstr("it cannot be loaded: ")); }

TEST_F(Bad, NoPlugin) {
  EXPECT_EQ(verdict(build("plain", "int nothing;")), "it exports no sonde_plugin: SONDE_PLUGIN() defines it");
}

TEST_F(Bad, ExportsAFunction) {
  const std::string path = folder + "/real";
  std::ofstream(path + ".c") << "int sonde_plugin(void) { return 0; }\n";
  ASSERT_EQ(std::system(("cc -shared -fPIC -o " + path + ".so " + path + ".c").c_str()), 0);
  EXPECT_EQ(verdict(path + ".so"), "its sonde_plugin is a function, not the struct that SONDE_PLUGIN() defines");
}

TEST_F(Bad, TextIsNull) {
  const std::string texts = "static const struct sonde_text texts[] = {{\"bad.d\", 0}, {0, 0}};\n#define TEXTS texts\n";
  EXPECT_EQ(verdict(provider("text", texts)), "its D text bad.d is NULL");
}

TEST_F(Bad, UndefinedSymbol) {
  EXPECT_THAT(verdict(provider("undefined", "void nobody(void);\n#define IN_START nobody()")),
              HasSubstr("undefined symbol: nobody"));
}

TEST_F(Bad, OtherAbi) {
  const std::string newer = "#undef SONDE_PROVIDER_ABI\n#define SONDE_PROVIDER_ABI 99";
  EXPECT_EQ(verdict(provider("newer", newer)),
            "it was made for provider interface 99, and this is 3: a newer Sonde runs it");
  const std::string older = "#undef SONDE_PROVIDER_ABI\n#define SONDE_PROVIDER_ABI 1";
  const std::string again = "it was made for provider interface 1, and this is 3: it must be compiled again";
  EXPECT_EQ(verdict(provider("older", older)), again);
  // It calls what that interface had, and this one has not.
  EXPECT_EQ(verdict(provider("tells", older + "\nvoid sonde_tell(const char*);\n#define IN_ENABLE sonde_tell(\"\")")),
            again);
}

TEST_F(Bad, OtherLayout) {
  EXPECT_EQ(verdict(build("layout", R"(
static int start(void) { return 0; }
static void stop(void) {}
const struct sonde_plugin sonde_plugin = {sizeof(struct sonde_plugin), SONDE_PROVIDER_ABI, 7, sizeof(dtrace_pattr_t),
  sizeof(dtrace_probedesc_t), sizeof(dtrace_argdesc_t), start, stop, 0};
)")),
            "its dtrace_pops_t has 7 bytes, not 80: it was compiled with another provider.h");
}

TEST_F(Bad, NothingToStartOrToStop) {
  const std::string made =
      "dtrace_provider_id_t p; static int start(void) { return 0; } static void stop(void) {}\n"
      "static int (*const unused)(void) = start; static void (*const too)(void) = stop;\n"
      "int use(void) { return unused != 0 && too != 0; }\n";
  EXPECT_EQ(verdict(build("nostart", made + "SONDE_PLUGIN(0, stop, 0);")),
            "its sonde_plugin has no start() or no stop()");
  EXPECT_EQ(verdict(build("nostop", made + "SONDE_PLUGIN(start, 0, 0);")),
            "its sonde_plugin has no start() or no stop()");
}

TEST_F(Bad, MissingOp) {
  EXPECT_EQ(verdict(provider("op", "#define NO_DESTROY")),
            "start() returns 22, Invalid argument: provider try has no dtps_destroy");
}

TEST_F(Bad, StartRefuses) {
  EXPECT_EQ(verdict(provider("refuses", "#define IN_START return 19")), "start() returns 19, No such device");
  EXPECT_EQ(verdict(provider("strange", "#define IN_START return -12345")),
            "start() returns -12345, which is no errno");
  EXPECT_EQ(
      verdict(provider("wild", "#define IN_START memset(&attributes, 0x77, sizeof attributes)")),
      "start() returns 22, Invalid argument: provider try: its attributes dtpa_provider are not DTRACE_STABILITY_...");
}

TEST_F(Bad, RegistersNothing) {
  EXPECT_EQ(verdict(provider("nothing", "#define IN_START return 0")), "start() registers no provider");
}

TEST_F(Bad, Throws) {
  EXPECT_EQ(verdict(provider("throws", "#include <stdexcept>\n#define IN_PROVIDE throw std::runtime_error(\"no luck\")",
                             ".cpp")),
            "dtps_provide throws: no luck");
  EXPECT_EQ(verdict(provider("number", "#define IN_ARGUMENTS throw 1", ".cpp")),
            "dtps_getargdesc of try:::one throws: something that is no std::exception");
}

TEST_F(Bad, ThrowsInThread) {
  EXPECT_EQ(verdict(provider("thread", R"(
#include <stdexcept>
#include <thread>
#define IN_START std::thread([] { throw std::runtime_error("alone"); }).join()
)",
                             ".cpp")),
            "throws out of a thread: alone");
}

TEST_F(Bad, WrongContext) {
  EXPECT_EQ(verdict(provider("unregisters", "#define IN_PROVIDE dtrace_unregister(provider)")),
            "provider try: dtrace_unregister may not be called from dtps_provide");
  EXPECT_EQ(
      verdict(provider("creates", "#define IN_ARGUMENTS dtrace_probe_create(provider, \"\", \"\", \"two\", 0, 0)")),
      "provider try: dtrace_probe_create may not be called from dtps_getargdesc");
}

TEST_F(Bad, Crashes) {
  EXPECT_EQ(verdict(provider("crashes", "#define IN_ARGUMENTS *(volatile int*)8 = 1")),
            "dies of SIGSEGV in dtps_getargdesc of try:::one");
  EXPECT_EQ(verdict(provider("aborts", "#define IN_STOP abort()")), "dies of SIGABRT in stop()");
  EXPECT_EQ(verdict(provider("constructs", "__attribute__((constructor)) static void early(void) { abort(); }")),
            "dies of SIGABRT in its constructors");
}

TEST_F(Bad, Exits) {
  EXPECT_EQ(verdict(provider("exits", "#define IN_PROVIDE exit(3)")), "exits with status 3 in dtps_provide");
}

TEST_F(Bad, Hangs) {
  const std::chrono::milliseconds little{300}, much{60000};
  EXPECT_EQ(verdict(provider("spins", "#define IN_PROVIDE for (;;) { }"), {little, much}),
            "was not ready after 300 ms of processor time, in dtps_provide");
  const std::string waits = provider("waits", "#include <unistd.h>\n#define IN_PROVIDE pause()");
  EXPECT_EQ(verdict(waits, {much, little}), "was not ready after 300 ms of waiting, in dtps_provide");
}

/// What a machine under load does to it: it is slow, and uses little of the processor.
TEST_F(Bad, SlowIsNotBad) {
  const std::string slow = provider("slow", "#include <unistd.h>\n#define IN_PROVIDE usleep(700000)");
  EXPECT_EQ(verdict(slow, {std::chrono::milliseconds(300), std::chrono::seconds(60)}), "");
}

class Good : public PluginTest {};

TEST_F(Good, IsLoadedBesideBadOnes) {
  const std::string texts =
      "static const struct sonde_text texts[] = {{\"try.d\", \"inline int TRY = 42;\\n\"}, {0, 0}};\n#define TEXTS "
      "texts\n";
  const std::string good = provider("good", texts), bad = provider("bad", "#define IN_PROVIDE abort()");
  Plugins plugins({{bad, good}, {}, {}});
  Framework framework(nullptr);
  plugins.start(framework);
  EXPECT_THAT(plugins.left_out(), SizeIs(1));
  EXPECT_THAT(framework.providers(), ElementsAre("try"));
  EXPECT_THAT(framework.match({"try", "", "", "", {}}), SizeIs(1));
  EXPECT_THAT(plugins.texts(),
              ElementsAre(std::pair<std::string, std::string>("good.so:try.d", "inline int TRY = 42;\n")));
}

TEST_F(Good, IsStoppedBeforeTheFrameworkGoes) {
  const std::string file = folder + "/stopped";
  const std::string good =
      provider("good", "#include <stdio.h>\n#define IN_STOP (dtrace_unregister(provider) == 0 ? fclose(fopen(\"" +
                           file + "\", \"w\")) : 0)");
  Plugins plugins({{good}, {}, {}});
  {
    Framework framework(nullptr);
    plugins.start(framework);
    EXPECT_TRUE(std::filesystem::remove(file)) << "the child's";
  }
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST_F(Good, OfANameThatIsTakenIsLeftOut) {
  Plugins plugins({{provider("first", "")}, {provider("second", "")}, {}});
  Framework framework(nullptr);
  plugins.start(framework);
  ASSERT_THAT(plugins.left_out(), SizeIs(1));
  EXPECT_THAT(plugins.left_out()[0],
              HasSubstr("second.so is left out: start() returns 17, File exists: there is a provider try already"));
}

class Find : public PluginTest {
 protected:
  std::string file(const std::string& name) {
    std::filesystem::create_directories(std::filesystem::path(folder + "/" + name).parent_path());
    std::ofstream(folder + "/" + name) << "";
    return folder + "/" + name;
  }
};

TEST_F(Find, NamedThenSearchedThenInstalled) {
  const std::string named = file("named/x.so");
  const auto b = file("one/b.so"), a = file("one/a.so"), c = file("two/c.so"), d = file("installed/d.so");
  file("one/notes.txt");
  const FoundPlugins all =
      find_plugins({named}, folder + "/one:" + folder + "/two::/nonexistent", folder + "/installed");
  EXPECT_THAT(all.named, ElementsAre(named));
  EXPECT_THAT(all.found, ElementsAre(a, b, c, d));
  EXPECT_THAT(all.skipped, IsEmpty());
}

TEST_F(Find, TheFirstOfANameCounts) {
  const auto named = file("named/x.so"), searched = file("one/x.so"), installed = file("installed/x.so");
  ::chmod(installed.c_str(), 0666);
  const FoundPlugins all = find_plugins({named}, folder + "/one", folder + "/installed");
  EXPECT_THAT(all.named, ElementsAre(named));
  EXPECT_THAT(all.found, IsEmpty());
  EXPECT_THAT(all.skipped, IsEmpty()) << "nobody would have loaded it";
  EXPECT_THAT(find_plugins({}, folder + "/one", folder + "/installed").found, ElementsAre(searched));
}

TEST_F(Find, InstalledOnlyWhereNobodyElseMayWriteAndSaysSo) {
  const auto open = file("installed/open.so"), shut = file("installed/shut.so");
  ::chmod(open.c_str(), 0777);
  FoundPlugins all = find_plugins({}, "", folder + "/installed");
  EXPECT_THAT(all.found, ElementsAre(shut));
  EXPECT_THAT(all.skipped,
              ElementsAre("provider " + open + " is skipped: everybody can write " + open + ": chmod o-w"));
  ::chmod((folder + "/installed").c_str(), 0777);
  all = find_plugins({}, "", folder + "/installed");
  EXPECT_THAT(all.found, IsEmpty());
  EXPECT_THAT(all.skipped, SizeIs(2));
  EXPECT_THAT(find_plugins({}, folder + "/installed", "").found,
              ElementsAre(open, shut));  // of the variable: the user has named them
}

/// Of those in folders each run pays the price, so a named one may take longer, and the message says how.
TEST_F(Find, FoundOnesHaveLessPatience) {
  const Trial::Patience longer, shorter{std::chrono::milliseconds(200), std::chrono::milliseconds(400)};
  const std::string spins = provider("spins", "#define IN_PROVIDE for (;;)"),
                    sleeps = provider("sleeps", "#include <unistd.h>\n#define IN_START sleep(1000)"),
                    named = provider("named", "#include <unistd.h>\n#define IN_START usleep(500000)");
  Plugins plugins({{named}, {spins, sleeps}, {"a line"}}, longer, shorter);
  Framework framework(nullptr);
  plugins.start(framework);
  const auto said = [](const std::string& file, const std::string& what) {
    return "provider " + file + " is left out: was not ready after " + what +
           "\n    every run would wait for it; --provider=" + file + " waits longer";
  };
  EXPECT_THAT(plugins.left_out(), ElementsAre("a line", said(spins, "200 ms of processor time, in dtps_provide"),
                                              said(sleeps, "400 ms of waiting, in start()")));
  EXPECT_THAT(framework.providers(), ElementsAre("try"));
}

}  // namespace
}  // namespace sonde
