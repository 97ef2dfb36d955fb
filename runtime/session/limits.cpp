// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/session/limits.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "kmod/shared/dif.h"
#include "runtime/agg/functions.h"

namespace sonde {
namespace {

constexpr uint64_t kLeastBuffer = 4096;

/// Whether the system can provide that much memory.
bool can_be_had(uint64_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory != MAP_FAILED && ::munmap(memory, bytes) == 0;
}

/// Such as "4m".
std::string size_text(uint64_t bytes) {
  for (const auto& [shift, unit] : {std::pair(40, 't'), std::pair(30, 'g'), std::pair(20, 'm'), std::pair(10, 'k')})
    if (bytes >> shift != 0 && (bytes >> shift) << shift == bytes) return std::to_string(bytes >> shift) + unit;
  return std::to_string(bytes);
}

bool may_lower(const Options& options) { return options.text("bufresize") == "auto"; }

void report_lowered(const char* what, uint64_t bytes, const Options& options, Output& output) {
  if (!options.flag("quietresize")) output.message(std::string(what) + " lowered to " + size_text(bytes));
}

}  // namespace

Result<void> create_buffers(EventSource& source, const Options& options, Output& output) {
  const uint64_t wanted = options.number("bufsize");
  uint64_t bytes = wanted;
  auto done = source.create_buffers(bytes);
  while (!done && may_lower(options) && bytes > kLeastBuffer) {
    bytes /= 2;
    done = source.create_buffers(bytes);
  }
  if (done && bytes != wanted) report_lowered("buffer size", bytes, options, output);
  return done;
}

Result<void> settle_aggregation_size(Options& options, Output& output) {
  const uint64_t wanted = options.number("aggsize");
  if (can_be_had(wanted)) return {};
  uint64_t bytes = wanted / 2;
  while (!can_be_had(bytes) && bytes > kLeastBuffer) bytes /= 2;
  if (!may_lower(options)) return Error("aggsize: there is no memory for " + size_text(wanted), ENOMEM);
  report_lowered("aggregation size", bytes, options, output);
  return options.set("aggsize", std::to_string(bytes), false, false);
}

Result<void> check_clauses(const BodyProgram& program, const Options& options) {
  const uint64_t room = std::bit_ceil(std::max(options.number("bufsize"), kLeastBuffer));
  for (const ClauseDesc& clause : program.clauses) {
    const sonde_dif_program fire = clause.fire->view();
    if (sonde_dif_needs(&fire).bytes > room) return Error("Enabling exceeds size of buffer", ENOSPC);
  }
  for (const AggregationDesc& aggregation : program.aggregations)
    if (element_bytes(aggregation) > options.number("aggsize")) return Error("Enabling exceeds size of buffer", ENOSPC);
  for (const ClauseDesc& clause : program.clauses)
    if (!clause.impossible.empty()) return Error(clause.impossible, ENOTSUP);
  return {};
}

Result<void> check_ends(const Options& options) {
  constexpr uint64_t kLeastInterval = 100'000'000;
  if (options.was_set("interval") && options.number("interval") < kLeastInterval)
    return Error("--interval, -x interval: 100ms at least", EINVAL);
  struct stat about {};
  if (options.flag("eofexit") &&
      (::fstat(STDIN_FILENO, &about) != 0 || !(S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode))))
    return Error("--exit-on-eof, -x eofexit: standard input is no pipe or socket: sonde cannot wait for its end",
                 EINVAL);
  return {};
}

Result<void> keep_to_cpu(const Options& options) {
  if (!options.was_set("cpu")) return {};
  const auto cpus = static_cast<uint64_t>(::sysconf(_SC_NPROCESSORS_CONF));
  const std::string number = std::to_string(options.number("cpu"));
  if (options.number("cpu") >= cpus)
    return Error("there is no CPU " + number + ": there are 0 to " + std::to_string(cpus - 1), EINVAL);
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(options.number("cpu"), &only);
  if (::sched_setaffinity(0, sizeof only, &only) == 0) return {};
  return Error::from_errno("cannot run on CPU " + number, errno);
}

}  // namespace sonde
