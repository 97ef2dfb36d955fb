// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/source/user_probes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <unordered_map>

#include "runtime/bpf/argument_code.h"
#include "runtime/bpf/bpf_call.h"
#include "runtime/bpf/hook_program.h"
#include "runtime/bpf/kprobe.h"
#include "runtime/process/arch.h"
#include "runtime/source/capabilities.h"

namespace sonde {
namespace {

using bpf::UprobeForm;
using bpf::UprobeLink;

constexpr uint32_t kReentering = 16384;  ///< threads and probes of which it is noted at once
constexpr size_t kMostSingle = 64;       ///< perf events: each takes 50 to 110 ms to go
constexpr size_t kPlacesNamed = 3;
constexpr int kNotSupported = 524;  ///< the kernel's own ENOTSUPP, which user space has no name for
constexpr const char* kNames[] = {"entries", "returns", "offsets", "jumps", "calls", "results"};

/// An array that is written here and read by programs.
class MappedArray {
 public:
  static Result<MappedArray> create(const char* name, uint32_t value_bytes, uint32_t rows) {
    MappedArray array;
    array.stride_ = (value_bytes + 7) & ~7u;
    auto map = bpf::create_map(name, {BPF_MAP_TYPE_ARRAY, 4, value_bytes, rows, BPF_F_MMAPABLE});
    if (!map) return std::move(map).error();
    array.map_ = std::move(*map);
    array.bytes_ = (size_t{array.stride_} * rows + 4095) & ~size_t{4095};
    void* at = mmap(nullptr, array.bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, array.map_.get(), 0);
    if (at == MAP_FAILED) return Error::from_errno("map a table of probes");
    array.at_ = static_cast<uint8_t*>(at);
    return array;
  }
  ~MappedArray() {
    if (at_ != nullptr) munmap(at_, bytes_);
  }
  MappedArray(MappedArray&& other) noexcept
      : map_(std::move(other.map_)),
        at_(std::exchange(other.at_, nullptr)),
        bytes_(other.bytes_),
        stride_(other.stride_) {}
  MappedArray& operator=(MappedArray&&) = delete;

  uint32_t* words(uint32_t row) { return reinterpret_cast<uint32_t*>(at_ + size_t{stride_} * row); }
  uint8_t* bytes(uint32_t row) { return at_ + size_t{stride_} * row; }
  UniqueFd take_map() { return std::move(map_); }

 private:
  MappedArray() = default;
  UniqueFd map_;
  uint8_t* at_ = nullptr;
  size_t bytes_ = 0;
  uint32_t stride_ = 0;
};

/// A file whose code is mapped here while probes are put into it.
class MappedCode {
 public:
  explicit MappedCode(int file) {
    struct stat found {};
    if (fstat(file, &found) != 0 || found.st_size == 0) return;
    bytes_ = static_cast<size_t>(found.st_size);
    at_ = mmap(nullptr, bytes_, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
  }
  ~MappedCode() {
    if (at_ != MAP_FAILED) munmap(at_, bytes_);
  }
  MappedCode(const MappedCode&) = delete;
  MappedCode& operator=(const MappedCode&) = delete;

 private:
  void* at_ = MAP_FAILED;
  size_t bytes_ = 0;
};

/// The text of a file, read in pieces: there may be many places, and a mapping would end us if the file became shorter.
class Text {
 public:
  explicit Text(int file) : file_(file) {}
  UprobeForm form_at(uint64_t offset) {
    if (offset < from_ || offset + bpf::kFormBytes > from_ + piece_.size()) {
      piece_.resize(kPiece);
      const ssize_t got = pread(file_, piece_.data(), piece_.size(), static_cast<off_t>(offset));
      piece_.resize(got > 0 ? static_cast<size_t>(got) : 0);
      from_ = offset;
    }
    return piece_.empty() ? UprobeForm::Barred : bpf::uprobe_form(std::span(piece_).subspan(offset - from_));
  }
  bool is_nop(uint64_t offset) {
    (void)form_at(offset);
    return !piece_.empty() && piece_[offset - from_] == machine::kNop;
  }

 private:
  static constexpr size_t kPiece = 1u << 16;
  int file_;
  uint64_t from_ = 0;
  std::vector<uint8_t> piece_;
};

bool is_jump_back(const Tap& tap) { return tap.kind == SONDE_TAP_USER_ENTRY && tap.leave.how != SONDE_LEAVE_NONE; }

std::string place_of(const Tap& tap) {
  if (sonde_tap_of_kernel_function(tap.kind) != 0) return tap.path;
  char offset[32];
  std::snprintf(offset, sizeof offset, "+0x%llx", static_cast<unsigned long long>(tap.offset));
  return tap.path + offset;
}

/// The kernel raises one for a probe.
uint64_t counter_of(const Tap& tap) { return tap.counters.empty() ? 0 : tap.counters.front(); }

std::string other_sources() {
  return "-x source=" + sources_with([](const SourceCapabilities& can) { return can.holds; }) + " can";
}

}  // namespace

/// The lists of locations of a kind's taps, as far as its fire parts read arguments by their types.
class UserProbes::Lists {
 public:
  explicit Lists(std::span<const bpf::FirePart> columns) : lists_(columns.size()) {
    for (const bpf::FirePart& fire : columns) {
      reads_.emplace_back();
      for (const auto& [at, read] : bpf::argument_reads(*fire.program)) reads_.back().push_back(read);
    }
  }

  bool empty() const {
    return std::ranges::all_of(reads_, [](const Reads& one) { return one.empty(); });
  }
  /// The number of the list of a tap where these columns run. `why`: why it cannot be armed, if it cannot.
  uint32_t number_of(const Tap& tap, const std::vector<uint32_t>& columns, std::string& why) {
    Reads all;
    for (const uint32_t column : columns) all.insert(all.end(), reads_[column].begin(), reads_[column].end());
    if (all.empty()) return 0;
    const std::vector<sonde_location> list = bpf::places_read(all, tap.locations);
    const std::string bytes(reinterpret_cast<const char*>(list.data()), list.size() * sizeof list.front());
    Known& known = known_.try_emplace(bytes, Known{static_cast<uint32_t>(known_.size()), {}}).first->second;
    for (const uint32_t column : columns)
      if (known.columns.insert(column).second) lists_[column].push_back({known.number, list});
    for (const bpf::ArgumentRead& read : all)
      if (why.empty()) why = bpf::why_unreadable(read, list);
    return known.number;
  }
  /// Those of the taps where a column runs.
  const std::vector<bpf::ArgumentPlaces>& of(size_t column) const { return lists_[column]; }

 private:
  using Reads = std::vector<bpf::ArgumentRead>;
  struct Known {
    uint32_t number;
    std::set<uint32_t> columns;
  };
  std::vector<Reads> reads_;                             ///< by column
  std::vector<std::vector<bpf::ArgumentPlaces>> lists_;  ///< by column
  std::map<std::string, Known> known_;                   ///< by the bytes of a list
};

size_t UserProbes::kind_of(const Tap& tap) {
  if (is_jump_back(tap)) return kJumps;
  if (tap.kind == SONDE_TAP_KERNEL_ENTRY) return kKernelEntries;
  if (tap.kind == SONDE_TAP_KERNEL_RETURN) return kKernelReturns;
  return tap.kind == SONDE_TAP_USER_ENTRY ? 0 : tap.kind == SONDE_TAP_USER_RETURN ? 1 : 2;
}

/// Makes ready for the kinds of these taps.
Result<void> UserProbes::begin(std::span<const Tap> taps) {
  for (const Tap& tap : taps) {
    const size_t kind = kind_of(tap);
    if (kinds_[kind].stub) continue;
    if (auto begun = begin_kind(kind); !begun) return begun;
  }
  return {};
}

Result<void> UserProbes::begin_kind(size_t kind) {
  Kind& made = kinds_[kind];
  if (of_kernel(kind)) {
    auto how = bpf::find_kprobe_link();
    if (!how) return std::move(how).error();
    made.how = *how;
  } else {
    made.how = bpf::has_uprobe_links() ? UprobeLink::Many : UprobeLink::One;
  }
  if (kind == kJumps) {
    auto map = bpf::create_map("reentered", {BPF_MAP_TYPE_LRU_HASH, 8, sizeof(bpf::Reentered), kReentering, 0});
    if (!map) return std::move(map).error();
    reentered_ = std::move(*map);
  }
  auto programs = bpf::create_map("users", {BPF_MAP_TYPE_PROG_ARRAY, 4, 4, 1, 0});
  if (!programs) return std::move(programs).error();
  auto stub = load_program(kind, "stub", bpf::build_stub(programs->get(), 0));
  if (!stub) return std::move(stub).error();
  made.programs = std::move(*programs);
  made.stub = std::move(*stub);
  return {};
}

Result<UniqueFd> UserProbes::load_program(size_t kind, const char* name, std::span<const bpf_insn> insns) {
  const UprobeLink how = kinds_[kind].how;
  return of_kernel(kind) ? bpf::load_kprobe_program(name, insns, how) : bpf::load_uprobe_program(name, insns, how);
}

Result<std::vector<UserProbes::Group>> UserProbes::add_rows(std::span<const Tap> taps) {
  std::map<std::pair<size_t, std::string>, Group> groups;
  for (const Tap& tap : taps) {
    const size_t kind = kind_of(tap);
    if (kinds_[kind].rows == bpf::kMostUserRows) return Error("too many probes in one session", E2BIG);
    Row& row = rows_[tap.id.value];
    row = Row{kind, kinds_[kind].rows++, tap};
    groups[{kind, of_kernel(kind) ? "" : tap.path}].push_back(&row);
  }
  std::vector<Group> all;
  for (auto& [key, group] : groups) all.push_back(std::move(group));
  // Jumps are armed before the entries that they lead to, so that no arrival is taken for a call.
  std::ranges::stable_sort(all, std::greater(), [](const Group& group) { return group.front()->kind == kJumps; });
  return all;
}

Result<void> UserProbes::arm(std::span<const Tap> taps, const Session& session, const bpf::World& world) {
  if (taps.empty()) return {};
  if (auto begun = begin(taps); !begun) return begun;
  const bool single =
      std::ranges::any_of(taps, [&](const Tap& tap) { return kinds_[kind_of(tap)].how == UprobeLink::One; });
  if (single && rows_.size() + taps.size() > kMostSingle)
    return Error("more than " + std::to_string(kMostSingle) +
                     " probes need Linux 6.6 for programs, and a kernel with fprobe (CONFIG_FPROBE) for its functions",
                 E2BIG);
  auto groups = add_rows(taps);
  Result<void> done = groups ? rebuild(session, world) : Result<void>(std::move(groups).error());
  for (Group& group : groups ? *groups : std::vector<Group>()) {
    if (!done) break;
    done = arm_group(group);
  }
  std::vector<uint32_t> unarmed;
  for (const Tap& tap : taps)
    if (const auto row = rows_.find(tap.id.value); row != rows_.end() && (!done || row->second.link == 0))
      unarmed.push_back(tap.id.value);
  notice_left_out(taps.size());
  const bool none = done && unarmed.size() == taps.size();
  drop(unarmed);
  if (!none) return done;
  const std::string why = take_notice();
  return Error(why.empty() ? "no probe could be armed" : why, EOPNOTSUPP);
}

void UserProbes::disarm(std::span<const TapId> taps) {
  std::vector<uint32_t> ours;
  for (const TapId tap : taps)
    if (rows_.contains(tap.value)) ours.push_back(tap.value);
  drop(ours);
}

bool UserProbes::empty() const {
  return rows_.empty() &&
         std::ranges::none_of(kinds_, [](const Kind& kind) { return static_cast<bool>(kind.program); });
}

/// Forgets these taps. A link stays until all its taps are gone: their rows are empty meanwhile.
void UserProbes::drop(const std::vector<uint32_t>& taps) {
  for (const uint32_t tap : taps) {
    const auto row = rows_.find(tap);
    const auto link = links_.find(row->second.link);
    if (link != links_.end() && --link->second.taps == 0) {
      count_link(link->second);
      links_.erase(link);
    }
    rows_.erase(row);
  }
}

Result<void> UserProbes::rebuild(const Session& session, const bpf::World& world) {
  for (size_t kind = 0; kind < kKinds; kind++) {
    if (!kinds_[kind].stub) continue;
    if (auto done = rebuild_kind(kind, session, world); !done) return done;
  }
  return {};
}

/// Of a kind without taps, and so without links.
void UserProbes::clear(size_t kind) {
  Kind& cleared = kinds_[kind];
  const uint32_t index = 0;
  if (cleared.program) bpf::delete_from_map(cleared.programs.get(), &index);
  for (UniqueFd* fd : {&cleared.program, &cleared.table, &cleared.places}) fd->reset();
  cleared.rows = 0;
}

/// Makes the program and the tables of a kind anew: a column for each fire part and place in the order of a probe's ECBs.
Result<void> UserProbes::rebuild_kind(size_t kind, const Session& session, const bpf::World& world) {
  std::unordered_map<uint32_t, std::vector<Row*>> by_probe;
  bool judges = false;
  for (auto& [tap, row] : rows_) {
    if (row.kind != kind) continue;
    by_probe[row.tap.probe.value].push_back(&row);
    judges |= row.tap.leave.how > SONDE_LEAVE_JUMP;
  }
  if (by_probe.empty()) {
    clear(kind);
    return {};
  }
  std::vector<uint32_t> columns;
  std::unordered_map<uint32_t, std::vector<std::pair<uint32_t, uint32_t>>> cells;  // probe -> column, epid
  for (const auto& [epid, ecb] : session.ecbs) {
    if (kind == kJumps || !by_probe.contains(ecb.probe.value)) continue;
    auto& cell = cells[ecb.probe.value];
    uint32_t column = cell.empty() ? 0 : cell.back().first + 1;
    while (column < columns.size() && columns[column] != ecb.program.value) column++;
    if (column == columns.size()) columns.push_back(ecb.program.value);
    cell.emplace_back(column, epid);
  }
  const uint32_t rows = kinds_[kind].rows;
  std::vector<bpf::FirePart> fires;
  for (const uint32_t program : columns) fires.push_back(session.programs.at(program).part());
  Lists lists(fires);
  auto table = MappedArray::create("table", bpf::row_bytes(columns.size() + (lists.empty() ? 0 : 1)), rows);
  if (!table) return std::move(table).error();
  auto places = MappedArray::create("places", sizeof(bpf::UserPlace), rows);
  if (!places) return std::move(places).error();
  for (const auto& [probe, of_probe] : by_probe) {
    for (Row* row : of_probe) {
      const auto from_entry = static_cast<int64_t>(row->tap.offset - row->tap.function);
      const bpf::UserPlace place{probe, 0, from_entry, row->tap.leave, 0};
      std::memcpy(places->bytes(row->number), &place, sizeof place);
      const auto found = cells.find(probe);
      if (found == cells.end()) continue;
      uint32_t* words = table->words(row->number);
      words[0] = probe;
      for (const auto& [column, epid] : found->second) words[1 + column] = epid;
      if (lists.empty()) continue;
      std::vector<uint32_t> own;
      for (const auto& [column, epid] : found->second) own.push_back(column);
      row->lacks.clear();
      words[1 + columns.size()] = lists.number_of(row->tap, own, row->lacks);
      if (!row->lacks.empty() && row->link != 0)
        return Error(place_of(row->tap) + ": " + row->lacks + "; " + other_sources(), EOPNOTSUPP);
    }
  }
  for (size_t column = 0; column < fires.size(); column++) fires[column].places = lists.of(column);
  Kind& made = kinds_[kind];
  UniqueFd old_table = std::exchange(made.table, table->take_map());
  UniqueFd old_places = std::exchange(made.places, places->take_map());
  return load(kind, fires, world, judges);
}

Result<void> UserProbes::load(size_t kind, std::span<const bpf::FirePart> columns, const bpf::World& world,
                              bool judges) {
  Kind& made = kinds_[kind];
  Result<std::vector<bpf_insn>> insns = std::vector<bpf_insn>();
  constexpr sonde_tap_kind kTaps[kKinds] = {SONDE_TAP_USER_ENTRY, SONDE_TAP_USER_RETURN,  SONDE_TAP_USER_OFFSET,
                                            SONDE_TAP_USER_ENTRY, SONDE_TAP_KERNEL_ENTRY, SONDE_TAP_KERNEL_RETURN};
  if (kind == kJumps) {
    insns = bpf::build_jump_program(made.places.get(), reentered_.get());
  } else {
    const bpf::UserProgram wanted{kTaps[kind],
                                  {columns.begin(), columns.end()},
                                  made.table.get(),
                                  made.places.get(),
                                  kinds_[kJumps].rows > 0 ? reentered_.get() : -1,
                                  origins_,
                                  static_cast<uint32_t>(getpid()),
                                  judges};
    insns = bpf::build_user_program(wanted, world);
  }
  if (!insns) return std::move(insns).error();
  auto program = load_program(kind, kNames[kind], *insns);
  if (!program) return std::move(program).error();
  const uint32_t index = 0;
  const auto fd = static_cast<uint32_t>(program->get());
  if (auto done = bpf::update_map(made.programs.get(), &index, &fd); !done) return done;
  made.program = std::move(*program);
  return {};
}

Result<void> UserProbes::arm_group(Group& group) {
  const size_t kind = group.front()->kind;
  const bool many = kinds_[kind].how == UprobeLink::Many;
  if (of_kernel(kind)) return many ? link_all(group, "") : link_each(group, "");
  // The path may lead through a process (/proc/PID/root), which may end meanwhile: that file's probes are left out, and the
  // kernel gets the open file.
  const UniqueFd file(open(group.front()->tap.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) {
    const std::string why = std::string("the file cannot be opened any more (") + std::strerror(errno) + ")";
    for (const Row* row : group) leave_out(*row, why);
    return {};
  }
  const std::string path = "/proc/self/fd/" + std::to_string(file.get());
  // At one place the kernel calls first what came last, and probes fire in the order of their numbers.
  std::ranges::sort(group, [](const Row* a, const Row* b) {
    return std::pair(a->tap.offset, b->tap.probe.value) < std::pair(b->tap.offset, a->tap.probe.value);
  });
  std::vector<UprobeForm> forms;
  Text text(file.get());
  for (Row* row : group) {
    forms.push_back(text.form_at(row->tap.offset));
    if (row->tap.nop && !text.is_nop(row->tap.offset) && row->lacks.empty())
      row->lacks = "there is no nop any more: the file has changed since its notes were read";
  }
  const Group right = without_wrong(group, forms);
  if (right.empty()) return {};
  const MappedCode code(file.get());
  return many ? link_all(right, path) : link_each(right, path);
}

UserProbes::Group UserProbes::without_wrong(const Group& group, const std::vector<UprobeForm>& forms) {
  Group right;
  for (size_t n = 0; n < group.size(); n++) {
    const auto tried = trials_.uprobe(forms[n], kinds_[group[n]->kind].how);
    const bool by_thread = (group[n]->tap.leave.flags & (SONDE_LEAVE_FS | SONDE_LEAVE_GS)) != 0;
    if (forms[n] == UprobeForm::Barred)
      leave_out(*group[n], "the kernel puts no probe on " + std::string(bpf::name_of(forms[n])));
    else if (!tried)
      leave_out(*group[n], "a uprobe on " + std::string(bpf::name_of(forms[n])) + " is wrong in this kernel (" +
                               tried.error().message() + ")");
    else if (by_thread)
      leave_out(*group[n], "it jumps by the memory of its thread");
    else if (!group[n]->lacks.empty())
      leave_out(*group[n], group[n]->lacks);
    else
      right.push_back(group[n]);
  }
  return right;
}

uint64_t UserProbes::cookie_of(const Row& row) const {
  return bpf::make_cookie(row.number, row.tap.pid, row.kind == 0 && kinds_[kJumps].rows > 0);
}

/// One link for all; they are of one kind and one file, which `path` leads to.
Result<UniqueFd> UserProbes::attach(std::span<Row* const> group, const std::string& path) {
  std::vector<uint64_t> offsets, cookies, counters;
  for (const Row* row : group) {
    offsets.push_back(row->tap.offset);
    cookies.push_back(cookie_of(*row));
    counters.push_back(counter_of(row->tap));
  }
  const size_t kind = group.front()->kind;
  const int stub = kinds_[kind].stub.get();
  if (of_kernel(kind)) return bpf::attach_kprobes(stub, kind == kKernelReturns, offsets, cookies);
  return bpf::attach_uprobes(stub, path, offsets, cookies, counters);
}

Result<UniqueFd> UserProbes::attach_one(const Row& row, const std::string& path) {
  const int stub = kinds_[row.kind].stub.get();
  if (of_kernel(row.kind))
    return bpf::attach_one_kprobe(stub, row.kind == kKernelReturns, row.tap.offset, cookie_of(row));
  return bpf::attach_one_uprobe(stub, path, row.tap.offset, cookie_of(row), counter_of(row.tap));
}

/// Whether the error says that the kernel takes no probe at one of the places.
bool UserProbes::is_refusal(size_t kind, int code) {
  if (of_kernel(kind)) return code == EINVAL || code == ENOENT || code == ESRCH || code == EILSEQ;
  return code == kNotSupported || code == EOPNOTSUPP || code == EINVAL || code == ENOEXEC;
}

Result<void> UserProbes::link_all(const Group& group, const std::string& path) {
  const uint64_t number = ++last_link_;
  Link& link = links_[number];
  link.kind = group.front()->kind;
  auto done = link_half(group, path, link);
  for (Row* row : group)
    if (row->link == last_link_) link.taps++;
  if (link.taps == 0) links_.erase(number);
  return done;
}

/// The kernel refuses a link as a whole, and does not say for which place: looks for it by halves.
Result<void> UserProbes::link_half(std::span<Row* const> group, const std::string& path, Link& link) {
  auto fd = attach(group, path);
  if (fd) {
    link.fds.push_back(std::move(*fd));
    for (Row* row : group) row->link = last_link_;
    return {};
  }
  if (!is_refusal(link.kind, fd.error().code())) return std::move(fd).error();
  if (group.size() == 1) {
    leave_out(*group.front(), refusal_of(link.kind));
    return {};
  }
  if (auto done = link_half(group.first(group.size() / 2), path, link); !done) return done;
  return link_half(group.subspan(group.size() / 2), path, link);
}

const char* UserProbes::refusal_of(size_t kind) {
  return of_kernel(kind) ? "the kernel lets no tracer into this function"
                         : "the kernel puts no probe on this instruction";
}

Result<void> UserProbes::link_each(const Group& group, const std::string& path) {
  const uint64_t number = ++last_link_;
  Link& link = links_[number];
  link.kind = group.front()->kind;
  for (Row* row : group) {
    auto fd = attach_one(*row, path);
    if (!fd && (of_kernel(row->kind) ? is_refusal(row->kind, fd.error().code()) : fd.error().code() == kNotSupported)) {
      leave_out(*row, refusal_of(row->kind));
      continue;
    }
    if (!fd) return std::move(fd).error();
    link.fds.push_back(std::move(*fd));
    row->link = number;
    link.taps++;
  }
  if (link.taps == 0) links_.erase(number);
  return {};
}

void UserProbes::leave_out(const Row& row, const std::string& why) { left_out_[why].push_back(place_of(row.tap)); }

/// Says once for each reason what has no probe.
void UserProbes::notice_left_out(size_t of) {
  for (const auto& [why, places] : left_out_) {
    const bool kernel = why == refusal_of(kKernelEntries);
    std::string text = "not traced, " + std::to_string(places.size()) + " of " + std::to_string(of) +
                       (kernel ? " functions: " : " places: ") + why + ": ";
    for (size_t n = 0; n < std::min(places.size(), kPlacesNamed); n++) text += (n > 0 ? ", " : "") + places[n];
    if (places.size() > kPlacesNamed) text += " ...";
    notices_.push_back(kernel ? text : text + "; " + other_sources());
  }
  left_out_.clear();
}

std::string UserProbes::take_notice() {
  if (notices_.empty()) return "";
  std::string text = std::move(notices_.front());
  notices_.pop_front();
  return text;
}

void UserProbes::count_link(Link& link) {
  if (!of_kernel(link.kind) || kinds_[link.kind].how != UprobeLink::Many) return;
  uint64_t misses = 0;
  for (const UniqueFd& fd : link.fds) misses += bpf::kprobe_misses(fd.get());
  link_misses_ += misses - std::exchange(link.misses, misses);
}

uint64_t UserProbes::take_misses() {
  uint64_t all = 0;
  for (Kind& kind : kinds_) {
    if (!kind.stub) continue;
    auto misses = bpf::recursion_misses(kind.stub.get());
    if (!misses || *misses <= kind.misses) continue;
    all += *misses - kind.misses;
    kind.misses = *misses;
  }
  for (auto& [number, link] : links_) count_link(link);
  return all + std::exchange(link_misses_, 0);
}

}  // namespace sonde
