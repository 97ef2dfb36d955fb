// SPDX-License-Identifier: GPL-3.0-or-later
// BTF, the kernel's description of its own types
//
//   header | types: one after the other, numbered from 1 | strings
//
// Read once and indexed by offset, which takes some milliseconds for a whole kernel; names are searched on demand.
#include <fcntl.h>
#include <linux/btf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unordered_map>

#include "runtime/base/unique_fd.h"
#include "runtime/process/c_types.h"

namespace sonde {
namespace {

constexpr size_t kMaxBytes = 256u << 20;
constexpr size_t kUsualBytes = 24;  // of a type, at least
constexpr int kMaxQualifiers = 64;  // qualifiers in a row

class BtfTypes : public CTypes {
 public:
  explicit BtfTypes(std::vector<uint8_t> bytes) : bytes_(std::move(bytes)) {}

  /// Checks and indexes the types. Returns what is wrong; empty: nothing.
  std::string index() {
    btf_header header;
    if (bytes_.size() < sizeof header) return "too short";
    std::memcpy(&header, bytes_.data(), sizeof header);
    if (header.magic != BTF_MAGIC || header.hdr_len < sizeof header || header.hdr_len > bytes_.size()) return "not BTF";
    const uint64_t room = bytes_.size() - header.hdr_len;
    const auto inside = [room](uint64_t offset, uint64_t length) { return offset <= room && length <= room - offset; };
    if (!inside(header.type_off, header.type_len) || !inside(header.str_off, header.str_len)) return "cut off";
    if (header.str_len == 0 || bytes_[header.hdr_len + header.str_off + header.str_len - 1] != 0)
      return "names are cut off";
    names_ = {reinterpret_cast<const char*>(bytes_.data()) + header.hdr_len + header.str_off, header.str_len};
    uint64_t at = header.hdr_len + header.type_off;
    const uint64_t end = at + header.type_len;
    offsets_.reserve(header.type_len / kUsualBytes);
    offsets_.assign(1, 0);
    while (at < end) {
      if (end - at < sizeof(btf_type)) return "types are cut off";
      offsets_.push_back(static_cast<uint32_t>(at));
      const uint64_t length = sizeof(btf_type) + extra(header_at(at));
      if (length > end - at) return "types are cut off";
      at += length;
    }
    return {};
  }

  std::optional<CTypeId> find(CName what, std::string_view name) override {
    std::optional<CTypeId> declared;
    for (CTypeId id = 1; id < offsets_.size(); ++id) {
      const btf_type head = header_at(offsets_[id]);
      const uint32_t kind = BTF_INFO_KIND(head.info);
      const bool forward =
          kind == BTF_KIND_FWD && (BTF_INFO_KFLAG(head.info) ? what == CName::Union : what == CName::Struct);
      const bool fits = (what == CName::Struct && (kind == BTF_KIND_STRUCT || kind == BTF_KIND_DATASEC)) ||
                        (what == CName::Union && kind == BTF_KIND_UNION) ||
                        (what == CName::Enum && (kind == BTF_KIND_ENUM || kind == BTF_KIND_ENUM64)) ||
                        (what == CName::Typedef && kind == BTF_KIND_TYPEDEF);
      if ((!fits && !forward) || !is_named(head, name)) continue;
      if (fits) return id;
      if (!declared) declared = id;
    }
    return declared;
  }

  CType type(CTypeId id) override {
    id = bare(id);
    CType out;
    if (id == kCVoid || id >= offsets_.size()) return out;
    const btf_type head = header_at(offsets_[id]);
    out.name = name_at(head.name_off);
    switch (BTF_INFO_KIND(head.info)) {
      case BTF_KIND_INT: integer(id, head, out); break;
      case BTF_KIND_FLOAT:
        out.kind = CType::Kind::Float;
        out.size = head.size;
        break;
      case BTF_KIND_PTR:
        out.kind = CType::Kind::Pointer;
        out.size = 8;
        out.target = head.type;
        break;
      case BTF_KIND_ARRAY: {
        const auto array = after<btf_array>(id, 0);
        out.kind = CType::Kind::Array;
        out.target = array.type;
        out.count = array.nelems;
        break;
      }
      case BTF_KIND_STRUCT:
      case BTF_KIND_UNION: record(id, head, out); break;
      case BTF_KIND_DATASEC: section(id, head, out); break;
      case BTF_KIND_FWD:
        out.kind = BTF_INFO_KFLAG(head.info) ? CType::Kind::Union : CType::Kind::Struct;
        out.complete = false;
        break;
      case BTF_KIND_ENUM:
      case BTF_KIND_ENUM64: enumeration(id, head, out); break;
      case BTF_KIND_TYPEDEF:
        out.kind = CType::Kind::Typedef;
        out.target = head.type;
        break;
      case BTF_KIND_FUNC_PROTO:
        out.kind = CType::Kind::Function;
        out.target = head.type;
        break;
      default: break;
    }
    return out;
  }

  std::optional<CFunction> function(std::string_view name) override {
    if (functions_.empty()) index_functions();
    const auto found = functions_.find(name);
    return found == functions_.end() ? std::nullopt : prototype(found->second);
  }

  std::optional<CFunction> prototype(CTypeId id) override {
    id = bare(id);
    if (id == kCVoid || id >= offsets_.size()) return std::nullopt;
    const btf_type head = header_at(offsets_[id]);
    if (BTF_INFO_KIND(head.info) != BTF_KIND_FUNC_PROTO) return std::nullopt;
    CFunction out;
    out.result = head.type;
    for (uint32_t i = 0; i < BTF_INFO_VLEN(head.info); ++i) {
      const auto one = after<btf_param>(id, i);
      out.parameters.push_back({name_at(one.name_off), one.type});
    }
    return out;
  }

  std::vector<std::string> typedefs(std::string_view prefix) override {
    std::vector<std::string> names;
    for (CTypeId id = 1; id < offsets_.size(); ++id) {
      const btf_type head = header_at(offsets_[id]);
      if (BTF_INFO_KIND(head.info) != BTF_KIND_TYPEDEF || head.name_off >= names_.size()) continue;
      if (names_.substr(head.name_off).starts_with(prefix)) names.push_back(name_at(head.name_off));
    }
    std::ranges::sort(names);
    return names;
  }

  std::optional<CFunction> function_at(uint64_t) override { return std::nullopt; }

 private:
  void index_functions() {
    for (CTypeId id = 1; id < offsets_.size(); ++id) {
      const btf_type head = header_at(offsets_[id]);
      if (BTF_INFO_KIND(head.info) != BTF_KIND_FUNC || head.name_off >= names_.size()) continue;
      functions_.try_emplace(names_.data() + head.name_off, head.type);
    }
  }

  btf_type header_at(uint64_t offset) const {
    btf_type head;
    std::memcpy(&head, bytes_.data() + offset, sizeof head);
    return head;
  }

  /// Bytes behind a type's header.
  static uint64_t extra(const btf_type& head) {
    const uint64_t count = BTF_INFO_VLEN(head.info);
    switch (BTF_INFO_KIND(head.info)) {
      case BTF_KIND_INT: return 4;
      case BTF_KIND_ARRAY: return sizeof(btf_array);
      case BTF_KIND_STRUCT:
      case BTF_KIND_UNION: return count * sizeof(btf_member);
      case BTF_KIND_ENUM: return count * sizeof(btf_enum);
      case BTF_KIND_ENUM64: return count * sizeof(btf_enum64);
      case BTF_KIND_FUNC_PROTO: return count * sizeof(btf_param);
      case BTF_KIND_VAR: return sizeof(btf_var);
      case BTF_KIND_DATASEC: return count * sizeof(btf_var_secinfo);
      case BTF_KIND_DECL_TAG: return sizeof(btf_decl_tag);
      default: return 0;
    }
  }

  /// Entry `index` of the array behind the header of `id`; index() has checked that all of them are there.
  template <typename T>
  T after(CTypeId id, uint32_t index) const {
    T out;
    std::memcpy(&out, bytes_.data() + offsets_[id] + sizeof(btf_type) + index * sizeof(T), sizeof out);
    return out;
  }

  std::string name_at(uint32_t offset) const {
    return offset < names_.size() ? std::string(names_.data() + offset) : std::string();
  }

  /// Each name ends with a NUL, so the byte after a name of that length can be read.
  bool is_named(const btf_type& head, std::string_view name) const {
    return head.name_off < names_.size() && names_.substr(head.name_off).starts_with(name) &&
           names_.size() - head.name_off > name.size() && names_[head.name_off + name.size()] == 0;
  }

  /// The type without const, volatile, restrict and tags; of a variable, its type.
  CTypeId bare(CTypeId id) const {
    for (int i = 0; i < kMaxQualifiers && id != kCVoid && id < offsets_.size(); ++i) {
      const btf_type head = header_at(offsets_[id]);
      const uint32_t kind = BTF_INFO_KIND(head.info);
      const bool qualifier = kind == BTF_KIND_VAR || kind == BTF_KIND_CONST || kind == BTF_KIND_VOLATILE ||
                             kind == BTF_KIND_RESTRICT || kind == BTF_KIND_TYPE_TAG;
      if (!qualifier) return id;
      id = head.type;
    }
    return kCVoid;
  }

  void integer(CTypeId id, const btf_type& head, CType& out) const {
    const auto word = after<uint32_t>(id, 0);
    out.kind = CType::Kind::Integer;
    out.size = head.size;
    out.is_signed = (BTF_INT_ENCODING(word) & BTF_INT_SIGNED) != 0;
  }

  void record(CTypeId id, const btf_type& head, CType& out) const {
    out.kind = BTF_INFO_KIND(head.info) == BTF_KIND_UNION ? CType::Kind::Union : CType::Kind::Struct;
    out.size = head.size;
    const bool fields = BTF_INFO_KFLAG(head.info);
    for (uint32_t i = 0; i < BTF_INFO_VLEN(head.info); ++i) {
      const auto one = after<btf_member>(id, i);
      CMember member{name_at(one.name_off), one.type, one.offset, 0, 0};
      if (fields) {
        member.bit_offset = BTF_MEMBER_BIT_OFFSET(one.offset);
        member.bit_width = BTF_MEMBER_BITFIELD_SIZE(one.offset);
      }
      out.members.push_back(std::move(member));
    }
  }

  /// A section of variables is a struct of them.
  void section(CTypeId id, const btf_type& head, CType& out) const {
    out.kind = CType::Kind::Struct;
    out.size = head.size;
    for (uint32_t i = 0; i < BTF_INFO_VLEN(head.info); ++i) {
      const auto one = after<btf_var_secinfo>(id, i);
      if (one.type >= offsets_.size()) continue;
      out.members.push_back({name_at(header_at(offsets_[one.type]).name_off), one.type, uint64_t{one.offset} * 8});
    }
  }

  void enumeration(CTypeId id, const btf_type& head, CType& out) const {
    out.kind = CType::Kind::Enum;
    out.size = head.size;
    out.is_signed = BTF_INFO_KFLAG(head.info);
    const bool wide = BTF_INFO_KIND(head.info) == BTF_KIND_ENUM64;
    for (uint32_t i = 0; i < BTF_INFO_VLEN(head.info); ++i) {
      if (wide) {
        const auto one = after<btf_enum64>(id, i);
        out.enumerators.push_back(
            {name_at(one.name_off), static_cast<int64_t>(uint64_t{one.val_hi32} << 32 | one.val_lo32)});
      } else {
        const auto one = after<btf_enum>(id, i);
        out.enumerators.push_back(
            {name_at(one.name_off), out.is_signed ? one.val : int64_t{static_cast<uint32_t>(one.val)}});
      }
    }
  }

  std::vector<uint8_t> bytes_;
  std::string_view names_;
  std::vector<uint32_t> offsets_;                            ///< of type n; 0 is void
  std::unordered_map<std::string_view, CTypeId> functions_;  ///< prototypes; filled in by the first who asks
};

}  // namespace

Result<std::unique_ptr<CTypes>> parse_btf(std::vector<uint8_t> bytes) {
  if (bytes.size() > kMaxBytes) return Error("BTF is too long", EFBIG);
  auto types = std::make_unique<BtfTypes>(std::move(bytes));
  if (std::string wrong = types->index(); !wrong.empty()) return Error("BTF: " + wrong, EINVAL);
  return std::unique_ptr<CTypes>(std::move(types));
}

Result<std::unique_ptr<CTypes>> read_btf(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status = {};
  if (!file || fstat(file.get(), &status) != 0) return Error::from_errno("open " + path);
  if (static_cast<uint64_t>(status.st_size) > kMaxBytes) return Error("BTF is too long", EFBIG);
  std::vector<uint8_t> bytes(static_cast<size_t>(status.st_size));
  size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = read(file.get(), bytes.data() + have, bytes.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error::from_errno("read " + path);
    if (got == 0) break;
    have += static_cast<size_t>(got);
  }
  bytes.resize(have);
  return parse_btf(std::move(bytes));
}

std::string CTypes::spelling(CTypeId id, int depth) {
  if (depth > kMaxQualifiers) return "void *";
  const CType one = type(id);
  switch (one.kind) {
    case CType::Kind::Void: return "void";
    case CType::Kind::Integer:
    case CType::Kind::Float:
    case CType::Kind::Typedef: return one.name;
    case CType::Kind::Struct: return one.name.empty() ? "void" : "struct " + one.name;
    case CType::Kind::Union: return one.name.empty() ? "void" : "union " + one.name;
    case CType::Kind::Enum: return one.name.empty() ? "int" : "enum " + one.name;
    case CType::Kind::Function: return "void";
    case CType::Kind::Array:
    case CType::Kind::Pointer: {
      if (one.kind == CType::Kind::Pointer && one.target == kCVoid && !one.name.empty()) return "void *";
      const std::string target = spelling(one.target, depth + 1);
      return target + (target.ends_with('*') ? "*" : " *");
    }
  }
  return "void";
}

}  // namespace sonde
