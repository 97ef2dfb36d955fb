// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include "runtime/bpf/kernel_layout.h"

#include <fstream>

namespace sonde::bpf {
namespace {

constexpr char kPath[] = "/sys/kernel/btf/vmlinux";
constexpr uint64_t kNoOffset = ~0ull;
constexpr int kDeepest = 8;  ///< anonymous structs in one another

/// The type behind typedefs.
CType resolve(CTypes& types, CTypeId id) {
  CType type = types.type(id);
  for (int turn = 0; turn < kDeepest && type.kind == CType::Kind::Typedef; turn++) type = types.type(type.target);
  return type;
}

/// Finds a member of that name: its offset in bits, and its type in `id`.
uint64_t find_member(CTypes& types, const CType& record, std::string_view name, CTypeId& id, int depth = 0) {
  for (const CMember& member : record.members) {
    if (member.name == name) return id = member.type, member.bit_offset;
    if (!member.name.empty() || depth >= kDeepest) continue;
    const uint64_t inside = find_member(types, resolve(types, member.type), name, id, depth + 1);
    if (inside != kNoOffset) return member.bit_offset + inside;
  }
  return kNoOffset;
}

using Functions = std::map<std::string, KernelLayout::Function>;

/// The kernel lists its own functions by address: one ends where the next one begins. A machine has 200,000 of them, of
/// which a few thousand belong to tracepoints.
Functions read_functions_of_tracepoints() {
  Functions all;
  std::vector<KernelLayout::Function*> open;  // their ends are not known yet
  std::ifstream symbols("/proc/kallsyms");
  for (std::string line; std::getline(symbols, line);) {
    const std::string_view name = std::string_view(line).substr(line.rfind(' ') + 1);
    const bool wanted = name.starts_with("__bpf_trace_") || name.starts_with("__traceiter_");
    if (!wanted && open.empty()) continue;
    const uint64_t address = std::stoull(line, nullptr, 16);
    std::erase_if(open, [address](KernelLayout::Function* one) {
      if (address > one->address) one->size = address - one->address;
      return one->size != 0;
    });
    if (!wanted || address == 0) continue;
    const auto [at, fresh] = all.try_emplace(std::string(name), KernelLayout::Function{address, 0});
    if (fresh) open.push_back(&at->second);
  }
  return all;
}

}  // namespace

KernelLayout::Function KernelLayout::tracepoint_function(const std::string& name) {
  if (!functions_) functions_ = read_functions_of_tracepoints();
  const auto found = functions_->find(name);
  return found == functions_->end() || found->second.size == 0 ? Function()
                                                               : found->second;  // without a size: the last
}

/// Programs are made anew whenever something is added to a session, and a name is looked for in all of BTF.
Result<std::vector<TracepointArgument>> KernelLayout::tracepoint(const std::string& name) {
  if (const auto known = tracepoints_.find(name); known != tracepoints_.end()) return known->second;
  auto arguments = tracepoint_arguments(*types_, name);
  if (arguments) tracepoints_[name] = *arguments;
  return arguments;
}

Result<int32_t> KernelLayout::preempt_count() {
  constexpr std::string_view kSection = ".data..percpu";
  auto count = offset(kSection, "__preempt_count");
  if (!count) count = offset(kSection, "pcpu_hot.preempt_count");  // Linux 6.2 to 6.14
  if (!count) return count;
  auto queues = offset(kSection, "runqueues");
  if (!queues) return queues;
  return *count - *queues;
}

Result<KernelLayout> KernelLayout::read() {
  auto types = read_btf(kPath);
  if (!types) return std::move(types).error();
  return KernelLayout(std::move(*types));
}

Result<int32_t> KernelLayout::offset(std::string_view structure, std::string_view path) {
  const std::string key = std::string(structure) + "::" + std::string(path);
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const Error unknown("this kernel's BTF has no " + key, ENOENT);
  auto known = structures_.find(structure);
  if (known == structures_.end()) {
    const auto id = types_->find(CName::Struct, structure);
    if (!id) return unknown;
    known = structures_.emplace(structure, types_->type(*id)).first;
  }
  CType record = known->second;
  uint64_t bits = 0;
  while (!path.empty()) {
    const std::string_view name = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(path.size(), name.size() + 1));
    CTypeId member = kCVoid;
    const uint64_t at = find_member(*types_, record, name, member);
    if (at == kNoOffset || at % 8 != 0) return unknown;
    bits += at;
    record = resolve(*types_, member);
  }
  return known_[key] = static_cast<int32_t>(bits / 8);
}

}  // namespace sonde::bpf
