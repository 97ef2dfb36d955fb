// SPDX-License-Identifier: GPL-3.0-or-later
// -C: the script goes through cpp
//
//   script --> memfd --> cpp --> pipe --> read_all --> FunctionRemover --> text
//
// cpp reads the script as /dev/stdin: that name is in its messages, and the search for #include "x" begins there. So
// after a line marker with another name comes text from a header. The input is a file and not a pipe, so only one
// direction has to be served.
//
// System headers define functions, which D does not have. FunctionRemover blanks them in place, except newlines and
// line markers, so that every error message keeps its line. It changes only headers: a function in the script is an
// error.
//
// cpp's processor time and output are limited: headers that include each other twice double the text at each level.
#include "compiler/source/preprocess.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <sstream>
#include <vector>

#include "runtime/base/unique_fd.h"
#include "runtime/lang/version.h"

namespace sonde {

namespace {

constexpr size_t kMostText = 64 << 20;  ///< bytes: files that include each other twice double
constexpr rlim_t kMostSeconds = 60;     ///< of the processor

Error failed() { return Error("Preprocessor failed to process input program", EINVAL); }

std::vector<std::string> arguments(const Options& options) {
  std::string version = options.text("version");
  char packed[32];
  std::snprintf(packed, sizeof packed, "0x%08x", read_version(version).value_or(kNewestVersion));
  utsname system{};
  ::uname(&system);
  std::vector<std::string> all = {options.text("cpppath"),
                                  "-D__SUNW_D=1",
                                  std::string("-D__SUNW_D_VERSION=") + packed,
                                  "-D__SUNW_D_64",
                                  "-D__linux",
                                  "-D__unix",
                                  "-D__SVR4",
                                  std::string("-D__") + system.sysname,
                                  "-D__amd64",
                                  "-U__GNUC__",
                                  "-U__SIZEOF_INT128__",
                                  "-D__signed__=signed",
                                  "-D__extension__="};
  for (const std::string& name : options.list("define")) all.push_back("-D" + name);
  for (const std::string& name : options.list("undef")) all.push_back("-U" + name);
  for (const std::string& path : options.list("incdir")) all.push_back("-I" + path);
  if (options.flag("cpphdrs")) all.emplace_back("-H");
  const std::string& standard = options.text("stdc");
  if (options.was_set("stdc") && standard != "c") {  // c has __STDC__ as 1, which is cpp's own
    all.emplace_back("-w");                          // cpp warns about an option that was asked for
    all.emplace_back(standard == "s" ? "-U__STDC__" : "-D__STDC__=0");
  }
  std::istringstream more(options.text("cppargs"));
  for (std::string word; more >> word;) all.push_back(word);
  all.emplace_back("/dev/stdin");
  return all;
}

[[noreturn]] void become_cpp(std::vector<std::string> words, int input, int output) {
  rlimit limit{kMostSeconds, kMostSeconds};
  ::setrlimit(RLIMIT_CPU, &limit);
  ::dup2(input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string program = words[0];
  words[0].erase(0, words[0].rfind('/') + 1);  // cpp's messages begin with it
  argv[0] = words[0].data();
  ::execvp(program.c_str(), argv.data());
  const char* what_to_do =
      errno == ENOENT ? "; install the package cpp, or name another preprocessor: -x cpppath=PATH" : "";
  std::fprintf(stderr, "%s: %s%s\n", program.c_str(), std::strerror(errno), what_to_do);
  ::_exit(127);
}

/// Reads everything; stops somewhat beyond kMostText, so that the caller can detect that.
std::string read_all(int fd) {
  std::string text;
  std::array<char, 65536> block{};
  while (text.size() <= kMostText) {
    ssize_t n = ::read(fd, block.data(), block.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    text.append(block.data(), static_cast<size_t>(n));
  }
  return text;
}

Result<UniqueFd> as_file(const std::string& text) {
  UniqueFd file(::memfd_create("sonde-script", MFD_CLOEXEC));
  if (file.get() < 0) return Error::from_errno("memfd_create", errno);
  for (size_t at = 0; at < text.size();) {
    ssize_t n = ::write(file.get(), text.data() + at, text.size() - at);
    if (n <= 0) return Error::from_errno("cannot hand the script to cpp", errno);
    at += static_cast<size_t>(n);
  }
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

/// Blanks the functions that headers define. A declaration ends with ; and a function with its body.
class FunctionRemover {
 public:
  explicit FunctionRemover(std::string text) : text_(std::move(text)) {}

  std::string run() {
    while (at_ < text_.size()) step();
    return std::move(text_);
  }

 private:
  std::string text_;
  size_t at_ = 0;
  size_t declaration_ = 0;  ///< where the current one begins
  std::string file_;
  int depth_ = 0;
  char last_ = 0;  ///< the last character that is not a blank

  bool at_line_begin() const { return at_ == 0 || text_[at_ - 1] == '\n'; }
  bool in_header() const { return !file_.empty() && file_ != "/dev/stdin" && file_[0] != '<'; }

  void step() {
    const char c = text_[at_];
    if (c == '#' && at_line_begin()) return take_marker();
    if (c == '"' || c == '\'') {
      skip_quoted();
    } else if (c == '{' && depth_ == 0 && last_ == ')' && in_header()) {
      return blank_function();
    } else if (c == '{' || c == '}') {
      depth_ += c == '{' ? 1 : depth_ > 0 ? -1 : 0;
    } else if (c == ';' && depth_ == 0) {
      declaration_ = at_ + 1;
    }
    if (c != ' ' && c != '\t' && c != '\n') last_ = c;
    ++at_;
  }

  /// # 12 "file" 3 4
  void take_marker() {
    const size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string line = text_.substr(at_, end - at_);
    const size_t open = line.find('"'), close = line.rfind('"');
    at_ = end;
    if (open == close) return;
    std::string file = line.substr(open + 1, close - open - 1);
    if (file != file_ && depth_ == 0) declaration_ = end;
    file_ = std::move(file);
  }

  /// Leaves at_ on the closing quote, or on the line's end.
  void skip_quoted() {
    const char quote = text_[at_++];
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_, text_.size());
  }

  void blank_function() {
    int open = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') skip_quoted();
      open += c == '{';
      if (c == '}' && --open == 0) break;
    }
    at_ = std::min(at_ + 1, text_.size());
    bool marker = false;
    for (size_t i = declaration_; i < at_; ++i) {
      if (i == 0 || text_[i - 1] == '\n') marker = text_[i] == '#';
      if (!marker && text_[i] != '\n') text_[i] = ' ';
    }
    declaration_ = at_;
    last_ = 0;
  }
};

}  // namespace

Result<std::string> preprocess(const std::string& script, const Options& options) {
  auto input = as_file(script);
  if (!input) return std::move(input).error();
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error::from_errno("pipe", errno);
  UniqueFd from(ends[0]), to(ends[1]);
  std::vector<std::string> words = arguments(options);
  std::fflush(nullptr);
  pid_t child = ::fork();
  if (child < 0) return Error::from_errno("fork", errno);
  if (child == 0) become_cpp(std::move(words), input->get(), to.get());
  to = UniqueFd();
  std::string text = read_all(from.get());
  from = UniqueFd();  // if cpp still writes, SIGPIPE ends it
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (text.size() > kMostText || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return failed();
  return FunctionRemover(std::move(text)).run();
}

}  // namespace sonde
