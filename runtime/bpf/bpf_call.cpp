// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include "runtime/bpf/bpf_call.h"

#include <linux/btf.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace sonde::bpf {
namespace {

constexpr char kLicence[] = "Dual MIT/GPL";
constexpr size_t kLogBytes = 1u << 16;
constexpr size_t kLogShown = 300;  ///< of the end, which says what is wrong
constexpr int kMostAttempts = 10;  ///< attempts while the kernel says EAGAIN: a signal interrupted the verifier

int call(bpf_cmd command, bpf_attr& attributes) {
  return static_cast<int>(syscall(SYS_bpf, command, &attributes, sizeof attributes));
}

void name_object(char (&to)[BPF_OBJ_NAME_LEN], const char* name) {
  const std::string whole = std::string(kNamePrefix) + name;
  std::memcpy(to, whole.data(), std::min<size_t>(whole.size(), BPF_OBJ_NAME_LEN - 1));
}

Result<UniqueFd> fd_or_error(int fd, const std::string& what) {
  if (fd < 0) return Error::from_errno(what);
  return UniqueFd(fd);
}

/// BTF of the two types that task storage must have: a 32-bit int as its key, an array of u64 as its value.
Result<UniqueFd> load_thread_types(uint32_t words) {
  const auto info = [](uint32_t kind) { return kind << 24; };
  struct Types {
    btf_header header;
    btf_type key;
    uint32_t key_bits;
    btf_type word;
    uint32_t word_bits;
    btf_type array;
    btf_array elements;
    char names[9];
  } types = {};
  constexpr uint32_t kTypeBytes = 3 * sizeof(btf_type) + 2 * sizeof(uint32_t) + sizeof(btf_array);
  types.header = {BTF_MAGIC, BTF_VERSION, 0, sizeof(btf_header), 0, kTypeBytes, kTypeBytes, sizeof types.names};
  types.key.name_off = 1;
  types.key.info = info(BTF_KIND_INT);
  types.key.size = 4;
  types.key_bits = BTF_INT_SIGNED << 24 | 32;
  types.word.name_off = 5;
  types.word.info = info(BTF_KIND_INT);
  types.word.size = 8;
  types.word_bits = 64;
  types.array.info = info(BTF_KIND_ARRAY);
  types.elements = {2, 1, words};
  std::memcpy(types.names, "\0int\0u64", sizeof types.names);
  bpf_attr attributes{};
  attributes.btf = address_of(&types);
  attributes.btf_size = sizeof(btf_header) + kTypeBytes + sizeof types.names;
  return fd_or_error(call(BPF_BTF_LOAD, attributes), "describe thread variables to the kernel");
}

}  // namespace

Result<UniqueFd> create_map(const char* name, const MapShape& shape) {
  bpf_attr attributes{};
  attributes.map_type = shape.type;
  attributes.key_size = shape.key_bytes;
  attributes.value_size = shape.value_bytes;
  attributes.max_entries = shape.entries;
  attributes.map_flags = shape.flags;
  name_object(attributes.map_name, name);
  return fd_or_error(call(BPF_MAP_CREATE, attributes), std::string("make the map ") + name);
}

Result<UniqueFd> create_thread_map(const char* name, uint32_t words) {
  auto types = load_thread_types(words);
  if (!types) return std::move(types).error();
  bpf_attr attributes{};
  attributes.map_type = BPF_MAP_TYPE_TASK_STORAGE;
  attributes.key_size = sizeof(int);
  attributes.value_size = words * static_cast<uint32_t>(sizeof(uint64_t));
  attributes.map_flags = BPF_F_NO_PREALLOC;
  attributes.btf_fd = static_cast<uint32_t>(types->get());
  attributes.btf_key_type_id = 1;
  attributes.btf_value_type_id = 3;
  name_object(attributes.map_name, name);
  return fd_or_error(call(BPF_MAP_CREATE, attributes), std::string("make the map ") + name);
}

Result<void> update_map(int map, const void* key, const void* value) {
  bpf_attr attributes{};
  attributes.map_fd = static_cast<uint32_t>(map);
  attributes.key = address_of(key);
  attributes.value = address_of(value);
  if (call(BPF_MAP_UPDATE_ELEM, attributes) == 0) return {};
  return Error::from_errno("write to a map");
}

Result<void> look_up(int map, const void* key, void* value) {
  bpf_attr attributes{};
  attributes.map_fd = static_cast<uint32_t>(map);
  attributes.key = address_of(key);
  attributes.value = address_of(value);
  if (call(BPF_MAP_LOOKUP_ELEM, attributes) == 0) return {};
  return Error::from_errno("read from a map");
}

void delete_from_map(int map, const void* key) {
  bpf_attr attributes{};
  attributes.map_fd = static_cast<uint32_t>(map);
  attributes.key = address_of(key);
  call(BPF_MAP_DELETE_ELEM, attributes);  // it may have gone already
}

bool is_empty_map(int map) {
  uint64_t next = 0;
  bpf_attr attributes{};
  attributes.map_fd = static_cast<uint32_t>(map);
  attributes.next_key = address_of(&next);
  return call(BPF_MAP_GET_NEXT_KEY, attributes) != 0 && errno == ENOENT;
}

Result<UniqueFd> load_program(const char* name, std::span<const bpf_insn> insns, bpf_prog_type type, uint32_t attach) {
  bpf_attr attributes{};
  attributes.prog_type = type;
  attributes.expected_attach_type = attach;
  attributes.insns = address_of(insns.data());
  attributes.insn_cnt = static_cast<uint32_t>(insns.size());
  attributes.license = address_of(kLicence);
  name_object(attributes.prog_name, name);
  int fd = -1;
  for (int attempt = 0; fd < 0 && attempt < kMostAttempts; attempt++) {
    fd = call(BPF_PROG_LOAD, attributes);
    if (fd < 0 && errno != EAGAIN && errno != EINTR) break;
  }
  if (fd >= 0) return UniqueFd(fd);
  const int code = errno;
  if (code == EPERM) return Error::from_errno("load a program into the kernel", code);
  std::vector<char> log(kLogBytes);  // without a log it is quicker, so only now
  attributes.log_level = 1;
  attributes.log_buf = address_of(log.data());
  attributes.log_size = static_cast<uint32_t>(log.size());
  if (const int late = call(BPF_PROG_LOAD, attributes); late >= 0) return UniqueFd(late);
  std::string said(log.data(), strnlen(log.data(), log.size()));
  if (said.size() > kLogShown) said = "... " + said.substr(said.size() - kLogShown);
  return Error::from_errno(
      "the kernel's verifier refuses a program of " + std::to_string(insns.size()) + " instructions: " + said, code);
}

Result<UniqueFd> attach_raw_tracepoint(const char* tracepoint, int program) {
  bpf_attr attributes{};
  attributes.raw_tracepoint.name = address_of(tracepoint);
  attributes.raw_tracepoint.prog_fd = static_cast<uint32_t>(program);
  return fd_or_error(call(BPF_RAW_TRACEPOINT_OPEN, attributes), std::string("attach to the tracepoint ") + tracepoint);
}

Result<uint32_t> run_once(int program, std::span<const uint64_t> arguments) {
  bpf_attr attributes{};
  attributes.test.prog_fd = static_cast<uint32_t>(program);
  attributes.test.ctx_in = address_of(arguments.data());
  attributes.test.ctx_size_in = static_cast<uint32_t>(arguments.size_bytes());
  if (call(BPF_PROG_TEST_RUN, attributes) != 0) return Error::from_errno("run a program once");
  return attributes.test.retval;
}

Result<uint64_t> recursion_misses(int program) {
  bpf_prog_info info{};
  bpf_attr attributes{};
  attributes.info.bpf_fd = static_cast<uint32_t>(program);
  attributes.info.info_len = sizeof info;
  attributes.info.info = address_of(&info);
  if (call(BPF_OBJ_GET_INFO_BY_FD, attributes) != 0) return Error::from_errno("ask about a program");
  return uint64_t{info.recursion_misses};
}

void wait_for_programs() { syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0); }

}  // namespace sonde::bpf
