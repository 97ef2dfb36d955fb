// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/prompt/handed_over.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "runtime/base/unique_fd.h"
#include "runtime/session/sink.h"

namespace sonde {
namespace {

constexpr char kVariable[] = "SONDE_HANDED_OVER";
constexpr char kSelf[] = "/proc/self/exe";

/// Texts one behind the other, each as LENGTH:BYTES.
void put(std::string& packed, std::string_view text) {
  packed.append(std::to_string(text.size())).append(":").append(text);
}

class Packed {
 public:
  explicit Packed(std::string_view rest) : rest_(rest) {}

  std::string text() {
    const size_t length = number();
    if (rest_.size() <= length || rest_[0] != ':') return fail();
    const std::string text(rest_.substr(1, length));
    rest_.remove_prefix(length + 1);
    return text;
  }
  std::vector<std::string> list() {
    std::vector<std::string> all;
    const std::string count = text();
    size_t wanted = 0;
    std::from_chars(count.data(), count.data() + count.size(), wanted);
    while (is_right_ && all.size() < wanted) all.push_back(text());
    return all;
  }
  bool is_right() const { return is_right_ && rest_.empty(); }

 private:
  size_t number() {
    size_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error == std::errc()) rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return value;
  }
  std::string fail() {
    is_right_ = false;
    return {};
  }

  std::string_view rest_;
  bool is_right_ = true;
};

void put_list(std::string& packed, const std::vector<std::string>& all) {
  put(packed, std::to_string(all.size()));
  for (const std::string& one : all) put(packed, one);
}

std::string read_all(int fd) {
  std::string text;
  std::array<char, 4096> block;
  for (ssize_t got; (got = ::read(fd, block.data(), block.size())) != 0;) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) break;
    text.append(block.data(), static_cast<size_t>(got));
  }
  return text;
}

}  // namespace

std::string HandedOver::packed() const {
  std::string packed;
  for (const std::string* text : {&source, &log, &input, &failed}) put(packed, *text);
  put_list(packed, providers);
  std::vector<std::string> pairs;
  for (const auto& [name, value] : settings) pairs.insert(pairs.end(), {name, value});
  put_list(packed, pairs);
  std::vector<std::string> texts;
  for (const Clause& clause : clauses) texts.insert(texts.end(), {clause.text, clause.enabled ? "enabled" : ""});
  put_list(packed, texts);
  put_list(packed, terminals);
  return packed;
}

std::optional<HandedOver> HandedOver::unpacked(const std::string& text) {
  Packed packed(text);
  HandedOver what{packed.text(), packed.text(), packed.text(), packed.text(), packed.list(), {}, {}, {}};
  const std::vector<std::string> pairs = packed.list(), texts = packed.list();
  what.terminals = packed.list();
  if (!packed.is_right()) return std::nullopt;
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) what.settings.emplace_back(pairs[i], pairs[i + 1]);
  for (size_t i = 0; i + 1 < texts.size(); i += 2) what.clauses.push_back({texts[i], !texts[i + 1].empty()});
  return what;
}

Result<void> try_source(const std::string& name) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error::from_errno("pipe");
  const UniqueFd reader(ends[0]);
  UniqueFd writer(ends[1]);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, writer.get(), STDERR_FILENO);
  const std::string setting = "source=" + name;
  const std::array<const char*, 5> words = {"sonde", "-x", setting.c_str(), "--repl", nullptr};
  pid_t child = 0;
  const int error = ::posix_spawn(&child, kSelf, &actions, nullptr, const_cast<char**>(words.data()), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  writer.reset();
  if (error != 0) return Error(std::string("failed to start sonde: ") + std::strerror(error), error);
  std::string said = read_all(reader.get());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status == 0) return {};
  if (said.starts_with("sonde: ")) said.erase(0, 7);
  while (said.ends_with('\n')) said.pop_back();
  return Error(said, EINVAL);
}

Error hand_over(const HandedOver& what, std::vector<std::string> words) {
  const int fd = ::memfd_create("sonde-prompt", 0);  // the new sonde has it, too
  if (fd < 0) return Error::from_errno("failed to hand over the clauses");
  if (const int error = write_all(fd, what.packed()); error != 0) {
    ::close(fd);
    errno = error;
    return Error::from_errno("failed to hand over the clauses");
  }
  ::setenv(kVariable, std::to_string(fd).c_str(), 1);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(kSelf, argv.data());
  return Error::from_errno("failed to start sonde anew");
}

std::optional<HandedOver> take_handed_over() {
  const char* number = ::secure_getenv(kVariable);
  if (number == nullptr) return std::nullopt;
  const UniqueFd fd(std::atoi(number));
  ::unsetenv(kVariable);  // the targets do not get it
  if (fd.get() <= STDERR_FILENO || ::lseek(fd.get(), 0, SEEK_SET) != 0) return std::nullopt;
  return HandedOver::unpacked(read_all(fd.get()));
}

}  // namespace sonde
