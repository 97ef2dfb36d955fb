// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/cgroups.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "runtime/process/namespaces.h"

namespace sonde {
namespace {

const std::string kId = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
const std::string kShort = "0123456789ab";

TEST(Cgroups, TheLineOfTheUnifiedHierarchy) {
  EXPECT_EQ(cgroup_in("0::/user.slice\n"), "/user.slice");
  EXPECT_EQ(cgroup_in("9:name=systemd:/x\n1:cpu:/y\n0::/\n"), "/");
  EXPECT_EQ(cgroup_in("0::/a:b::c\n"), "/a:b::c");
  EXPECT_EQ(cgroup_in("0::/gone (deleted)\n"), "/gone");
  EXPECT_EQ(cgroup_in("0::/no newline"), "/no newline");
  EXPECT_EQ(cgroup_in("9:name=systemd:/x\n10::/y\n"), "");
  EXPECT_EQ(cgroup_in(""), "");
  EXPECT_EQ(cgroup_in("\n\n\n"), "");
}

TEST(Cgroups, ContainersByTheFormsOfTheirManagers) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"/system.slice/docker-" + kId + ".scope", kShort},
      {"/docker/" + kId, kShort},
      {"/docker/" + kId + "/init.scope", kShort},
      {"/machine.slice/libpod-" + kId + ".scope", kShort},
      {"/machine.slice/libpod-" + kId + ".scope/container", kShort},
      {"/libpod_parent/libpod-" + kId, kShort},
      {"/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" + kId + ".scope", kShort},
      {"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1.slice/cri-containerd-" + kId + ".scope",
       kShort},
      {"/kubepods.slice/kubepods-pod1.slice/crio-" + kId + ".scope", kShort},
      {"/kubepods/besteffort/pod12-34/" + kId, kShort},
      {"/system.slice/kubepods-besteffort-pod1.slice:cri-containerd:" + kId, kShort},
      {"/ecs/task/" + kId, kShort},
      {"/lxc/web", "web"},
      {"/lxc/web/system.slice/cron.service", "web"},
      {"/lxc.payload.web/init.scope", "web"},
      {"/machine.slice/machine-build\\x2dbox.scope/payload", "build-box"},
      {"/machine.slice/systemd-nspawn@deb\\x5f12.service", "deb_12"},
      {"/lxc/outer/docker/" + kId, kShort},
      // Not those that watch over a container, nor what only looks like one.
      {"/machine.slice/libpod-conmon-" + kId + ".scope", ""},
      {"/lxc.monitor.web", ""},
      {"/system.slice/docker.service", ""},
      {"/docker-" + kId.substr(1) + ".scope", ""},
      {"/docker-" + kId + "0.scope", ""},
      {"/docker/ABCDEF" + kId.substr(6), ""},
      {"/machine.slice/machine-.scope", ""},
      {"/lxc", ""},
      {"/user.slice", ""},
      {"/", ""},
      {"", ""},
      {"//", ""},
  };
  for (const auto& [path, container] : rows) EXPECT_EQ(container_in(path), container) << path;
}

TEST(Cgroups, AnEscapeThatIsNoneStaysAsItIs) {
  EXPECT_EQ(container_in("/machine-a\\x2.scope"), "a\\x2");
  EXPECT_EQ(container_in("/machine-a\\xzz.scope"), "a\\xzz");
  EXPECT_EQ(container_in("/machine-\\x2d.scope"), "-");
}

TEST(Cgroups, EachGroupLiesInTheRoot) {
  EXPECT_TRUE(lies_in("/", "/"));
  EXPECT_TRUE(lies_in("/a/b", "/"));
  EXPECT_TRUE(lies_in("", "/"));
  EXPECT_TRUE(lies_in("/a/b", "/a"));
  EXPECT_FALSE(lies_in("/a/b", "/b"));
  EXPECT_FALSE(lies_in("/", "/a"));
}

/// Paths of random parts: what a manager writes, cut, doubled and mixed with rubbish.
TEST(Cgroups, AnyPathHasAShortAnswer) {
  const std::vector<std::string> parts = {
      "/",        "docker-", "libpod-", ".scope", kId,          "lxc", "lxc.payload.", "kubepods",
      "machine-", "\\x",     "\\x2d",   ":",      " (deleted)", "a",   "\xff",         ""};
  std::mt19937 random(20261127);
  for (int round = 0; round < 20000; round++) {
    std::string path = "/";
    for (uint32_t left = random() % 9; left > 0; left--) {
      std::string part = parts[random() % parts.size()];
      if (random() % 8 == 0 && !part.empty()) part.resize(random() % part.size());
      path += part;
    }
    const std::string name = container_in(path);
    EXPECT_LE(name.size(), path.size()) << path;
    EXPECT_EQ(name.find('/'), std::string::npos) << path;
    EXPECT_EQ(cgroup_in("3:cpu:/\n0::" + path + "\n").find('\n'), std::string::npos) << path;
    EXPECT_EQ(container_in(path + "/docker-" + kId + ".scope"), kShort) << path;
  }
}

class Hierarchy : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/sonde-cgroups-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    top = name;
  }
  void TearDown() override { std::filesystem::remove_all(top); }
  uint64_t add(const std::string& path) const {
    std::filesystem::create_directories(top + path);
    return inode_of(top + path);
  }

  std::string top;
};

TEST_F(Hierarchy, PathsById) {
  const uint64_t docker = add("/system.slice/docker-" + kId + ".scope");
  Cgroups cgroups(top);
  EXPECT_EQ(cgroups.path_of(inode_of(top)), "/");
  EXPECT_EQ(cgroups.path_of(inode_of(top + "/system.slice")), "/system.slice");
  EXPECT_EQ(cgroups.path_of(docker), "/system.slice/docker-" + kId + ".scope");
  EXPECT_EQ(cgroups.container_of(docker), kShort);
  EXPECT_EQ(cgroups.path_of(0), "");
  EXPECT_EQ(cgroups.path_of(~0ull), "");
  EXPECT_EQ(cgroups.container_of(~0ull), "");
}

TEST_F(Hierarchy, OneThatIsMadeLaterIsFound) {
  Cgroups cgroups(top);
  cgroups.read();
  const uint64_t later = add("/a/b");
  EXPECT_EQ(cgroups.path_of(later), "/a/b");
  EXPECT_EQ(cgroups.id_of("/a/b"), later);
  EXPECT_EQ(cgroups.id_of("/a/c"), 0u);
}

TEST_F(Hierarchy, OneThatIsGoneKeepsItsName) {
  const uint64_t gone = add("/lxc/web");
  Cgroups cgroups(top);
  cgroups.read_once();
  std::filesystem::remove_all(top + "/lxc");
  cgroups.read();
  EXPECT_EQ(cgroups.path_of(gone), "/lxc/web");
  EXPECT_EQ(cgroups.container_of(gone), "web");
}

TEST_F(Hierarchy, APartThatIsMountedHasWholePaths) {
  const uint64_t inner = add("/inner");
  Cgroups cgroups(top, "/outer");
  EXPECT_EQ(cgroups.path_of(inode_of(top)), "/outer");
  EXPECT_EQ(cgroups.path_of(inner), "/outer/inner");
  EXPECT_EQ(cgroups.id_of("/outer/inner"), inner);
  EXPECT_EQ(cgroups.id_of("/outer"), inode_of(top));
  EXPECT_EQ(cgroups.id_of("/outerspace"), 0u);
  EXPECT_EQ(cgroups.id_of("/elsewhere"), 0u);
}

TEST(Cgroups, WithoutAHierarchyThereAreNone) {
  Cgroups none("");
  EXPECT_FALSE(none.is_mounted());
  EXPECT_EQ(none.path_of(1), "");
  EXPECT_EQ(none.container_of(1), "");
  EXPECT_EQ(none.id_of("/"), 0u);
}

}  // namespace
}  // namespace sonde
