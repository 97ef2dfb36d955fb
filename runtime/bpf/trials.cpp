// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include "runtime/bpf/trials.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

namespace sonde::bpf {
namespace {

constexpr char kFile[] = "trials", kNewFile[] = "trials.new", kRight[] = "right ", kWrong[] = "wrong ";
constexpr size_t kMostText = 1u << 16;

/// What the answers hold for.
std::string circumstances() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  file >> boot;
  utsname kernel{};
  uname(&kernel);
  return "boot " + boot + " kernel " + kernel.release + " " + kernel.version + " sonde " SONDE_VERSION;
}

/// The folder, if it is root's alone, as we are. `make`: if there is none, it is made.
UniqueFd open_folder(const std::string& folder, bool make) {
  if (folder.empty() || geteuid() != 0) return UniqueFd();
  if (make) mkdir(folder.c_str(), 0700);
  UniqueFd opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat found {};
  const bool ours = opened && fstat(opened.get(), &found) == 0 && found.st_uid == 0 && (found.st_mode & 077) == 0;
  return ours ? std::move(opened) : UniqueFd();
}

std::string read_all(int folder) {
  const UniqueFd file(openat(folder, kFile, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  struct stat found {};
  if (!file || fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode) || found.st_uid != 0) return "";
  std::string text(kMostText, '\0');
  const ssize_t got = read(file.get(), text.data(), text.size());
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return text;
}

std::string mechanism_name(UprobeForm form, UprobeLink link) {
  return std::string("a uprobe on ") + name_of(form) + (link == UprobeLink::One ? ", by a perf event" : "");
}

/// A kernel that preempts threads within itself says so: "#1 SMP PREEMPT_DYNAMIC Debian 6.1.1".
bool preempts_itself() {
  utsname kernel{};
  return uname(&kernel) == 0 && std::string_view(kernel.version).find("PREEMPT") != std::string_view::npos;
}

std::string tracepoint_name(Hook hook) {
  return std::string("the tracepoint ") + kHookRows[static_cast<size_t>(hook)].tracepoint;
}

Error about(const std::string& name, Error error) {
  return std::move(error).context(error.code() == EOPNOTSUPP ? name + " is wrong in this kernel" : "try " + name);
}

}  // namespace

Trials::Trials(std::string folder) : folder_(std::move(folder)) { recall(); }

Trials::~Trials() {
  if (made_ == 0) return;
  for (const auto& one : running_) {
    one->settling.join();
    if (!one->wrong.empty()) known_[one->name] = one->wrong;
  }
  write_down();
}

void Trials::recall() {
  const UniqueFd folder = open_folder(folder_, false);
  if (!folder) return;
  std::istringstream lines(read_all(folder.get()));
  std::string line;
  if (!std::getline(lines, line) || line != circumstances()) return;
  while (std::getline(lines, line)) {
    if (line.starts_with(kRight)) known_[line.substr(sizeof kRight - 1)] = "";
    const size_t at = line.find(": ");
    if (line.starts_with(kWrong) && at != line.npos)
      known_[line.substr(sizeof kWrong - 1, at - (sizeof kWrong - 1))] = line.substr(at + 2);
  }
}

/// Other sessions may do the same at once: the last one's file stays, whole.
void Trials::write_down() const {
  const UniqueFd folder = open_folder(folder_, true);
  if (!folder) return;
  std::string text = circumstances() + "\n";
  for (const auto& [name, wrong] : known_)
    text += wrong.empty() ? kRight + name + "\n" : kWrong + name + ": " + wrong + "\n";
  const std::string temporary = kNewFile + std::to_string(getpid());
  const UniqueFd file(
      openat(folder.get(), temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  const bool written = file && write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (!written || renameat(folder.get(), temporary.c_str(), folder.get(), kFile) != 0)
    unlinkat(folder.get(), temporary.c_str(), 0);  // then it is tried again next time
}

/// What is known of that mechanism, or what `make` finds. Errors of `make` other than EOPNOTSUPP say nothing of it.
Result<void> Trials::answer(const std::string& name, const std::function<Result<void>()>& make) {
  auto known = known_.find(name);
  if (known == known_.end()) {
    made_++;
    auto right = make();
    if (!right && right.error().code() != EOPNOTSUPP) return right;
    known = known_.emplace(name, right ? "" : right.error().message()).first;
  }
  if (known->second.empty()) return {};
  return Error(known->second, EOPNOTSUPP);
}

Result<void> Trials::try_uprobe(const std::string& name, UprobeForm form, UprobeLink link) {
  running_.push_back(std::make_unique<Running>());
  Running& one = *running_.back();
  one.name = name;
  auto right = one.trial.run(form, uprobe_mechanism(link));
  one.settling = std::thread([&one] {
    auto gone = one.trial.settle();
    if (!gone) one.wrong = gone.error().message();
  });
  return right;
}

Result<void> Trials::uprobe(UprobeForm form, UprobeLink link) {
  if (form == UprobeForm::Barred) return Error("the kernel takes none there, and may not say so", EOPNOTSUPP);
  const std::string name = mechanism_name(form, link);
  return answer(name, [&] { return try_uprobe(name, form, link); });
}

Result<void> Trials::tracepoint(Hook hook, TracepointLink link) {
  if (!can_try(hook)) return {};
  const std::string name = tracepoint_name(hook) + (link == TracepointLink::Event ? ", by a perf event" : "");
  auto right = answer(name, [=] { return try_hook(hook, *tracepoint_mechanism(hook, link)); });
  return right ? std::move(right) : about(name, std::move(right).error());
}

Result<void> Trials::keeping_cpu(Hook hook, KernelLayout& layout) {
  const std::string name = "keeping a CPU at " + tracepoint_name(hook);
  return answer(name, [&]() -> Result<void> {
    if (!preempts_itself()) return {};
    return try_keeping_cpu(hook, *preemption_mechanism(hook, layout));
  });
}

Result<void> Trials::clock() {
  const std::string name = "the clock of a CPU";
  auto right = answer(name, [] { return try_clock(*clock_mechanism()); });
  return right ? std::move(right) : about(name, std::move(right).error());
}

}  // namespace sonde::bpf
