// SPDX-License-Identifier: GPL-3.0-or-later
// Three steps, each as late as possible
//
//   locate(name) --> Origin (source, id)   opens debug information, object by object, until one has the name
//   convert(Origin) --> Type               once for each id; a record has no members yet
//   complete(Type)                         the members of one record, when the script uses one
//
// An Origin holds an index into sources_, so sources_ only grows. found_ also has names that were not found; therefore
// refresh_sources() clears it when an object is added.
//
// A traced program can contain any debug information, so none is trusted: depth and size are limited, and a member that
// is outside of its record is left out.
#include "compiler/types/foreign_types.h"

#include <algorithm>

#include "runtime/base/find.h"
#include "runtime/process/proc_maps.h"
#include "runtime/process/program_file.h"

namespace sonde {
namespace {

constexpr uint32_t kDeepest = 64;            // structs in structs
constexpr uint64_t kMostBytes = 1ull << 30;  // of a type that somebody made up
constexpr uint32_t kOfFile = UINT32_MAX;     // no process
constexpr const char* kKernelTypes = "/sys/kernel/btf/vmlinux";

bool is_kernel(std::string_view module) { return module == "vmlinux" || module == "kernel" || module == "genunix"; }

/// "libc" and "libc.so" stand for "libc.so.6".
bool stands_for(std::string_view module, std::string_view name) {
  return module == name || (name.starts_with(module) && (name[module.size()] == '.' || name[module.size()] == '-'));
}

}  // namespace

ForeignTypes::ForeignTypes(TypeTable& types, std::function<std::vector<uint32_t>()> targets)
    : types_(types), targets_(std::move(targets)) {}
ForeignTypes::~ForeignTypes() = default;

/// Adds the objects that were mapped, and the processes that were traced, since the last call. The others keep their
/// index.
void ForeignTypes::refresh_sources() {
  const auto known = [this](uint32_t pid, const std::string& path) {
    return std::ranges::any_of(sources_, [&](const Source& one) { return one.pid == pid && one.path == path; });
  };
  for (uint32_t pid : targets_()) {
    const std::string program = program_path(pid);
    const auto maps = read_proc_maps(pid);
    if (!maps) continue;
    for (const MapEntry& entry : *maps) {
      if (!entry.executable || !entry.is_file() || known(pid, entry.path)) continue;
      sources_.push_back({pid,
                          entry.path,
                          path_to_open(pid, entry),
                          std::string(base_name(entry.path)),
                          entry.path == program,
                          false,
                          nullptr,
                          {}});
      found_ = {};
    }
  }
  if (!known(0, kKernelTypes))
    sources_.push_back({0, kKernelTypes, kKernelTypes, "vmlinux", false, false, nullptr, {}});
}

void ForeignTypes::add_file(const std::string& path) {
  const auto is_it = [&path](const Source& one) { return one.pid == kOfFile && one.path == path; };
  if (std::ranges::any_of(sources_, is_it)) return;
  sources_.push_back({kOfFile, path, path, std::string(base_name(path)), true, false, nullptr, {}});
  found_ = {};
}

CTypes* ForeignTypes::open(Source& source) {
  if (source.opened) return source.types.get();
  source.opened = true;
  auto types = source.pid == 0 ? read_btf(source.file) : read_dwarf(source.file);
  if (types) source.types = std::move(*types);
  return source.types.get();
}

const Type* ForeignTypes::find(std::string_view name) {
  auto origin = locate(name);
  return origin ? convert(origin->source, origin->id) : nullptr;
}

const Type* ForeignTypes::met(std::string_view name) { return met_.contains(name) ? find(name) : nullptr; }

std::optional<ForeignTypes::Origin> ForeignTypes::locate(std::string_view name) {
  Found& known_here = found_[kernel_first_ ? 1 : 0];
  if (auto* known = find_in(known_here, name); known && *known) return *known;
  refresh_sources();
  if (auto* known = find_in(known_here, name)) return *known;
  CName what = CName::Typedef;
  std::string_view rest = name;
  for (auto [word, meaning] : {std::pair{"struct ", CName::Struct}, {"union ", CName::Union}, {"enum ", CName::Enum}}) {
    if (!rest.starts_with(word)) continue;
    what = meaning;
    if (rest.substr(std::string_view(word).size()).starts_with('{'))
      break;  // it is the name, of Go's "struct { x int }"
    rest.remove_prefix(std::string_view(word).size());
  }
  const size_t last = rest.rfind('`');
  std::string_view scope = last == std::string_view::npos ? "" : rest.substr(0, last);
  if (last != std::string_view::npos) rest.remove_prefix(last + 1);
  uint32_t pid = 0;
  if (scope.starts_with("pid") && scope.size() > 3 && scope[3] >= '0' && scope[3] <= '9') {
    pid = static_cast<uint32_t>(std::strtoul(std::string(scope.substr(3)).c_str(), nullptr, 10));
    scope.remove_prefix(std::min(scope.find('`'), scope.size() - 1) + 1);
  }
  if (rest.empty()) return std::nullopt;  // many types have no name
  std::optional<Origin> found;
  // The kernel may be anywhere in the list if processes were added later.
  for (bool kernel : {kernel_first_, !kernel_first_}) {
    for (size_t i = 0; i < sources_.size() && !found; ++i) {
      const Source& source = sources_[i];
      if ((source.pid == 0) != kernel || (pid != 0 && source.pid != pid)) continue;
      const bool wanted =
          scope.empty() ||
          (kernel ? is_kernel(scope) : stands_for(scope, source.name) || (source.executable && scope == "a.out"));
      CTypes* types = wanted ? open(sources_[i]) : nullptr;
      if (auto id = types ? types->find(what, rest) : std::nullopt) found = Origin{i, *id};
    }
  }
  return known_here[std::string(name)] = found;
}

const Type* ForeignTypes::convert(size_t source, CTypeId id) {
  if (id == kCVoid || depth_ > kDeepest) return types_.void_type();
  if (auto known = sources_[source].made.find(id); known != sources_[source].made.end()) return known->second;
  ++depth_;
  const Type* made = make(source, id, sources_[source].types->type(id));
  --depth_;
  return sources_[source].made[id] = made;
}

const Type* ForeignTypes::make(size_t source, CTypeId id, const CType& from) {
  switch (from.kind) {
    case CType::Kind::Void: return types_.void_type();
    case CType::Kind::Integer: return integer(from);
    case CType::Kind::Float: return real(from);
    case CType::Kind::Pointer: return types_.pointer_to(convert(source, from.target), sizeof(uint64_t));
    case CType::Kind::Function: return types_.function_of(types_.void_type(), {});
    case CType::Kind::Typedef: {
      const Type* target = convert(source, from.target);
      return from.name.empty() ? target : types_.alias(from.name, target);
    }
    case CType::Kind::Enum: return enumeration(from);
    case CType::Kind::Array: {
      const Type* element = convert(source, from.target);
      if (element->is_record()) complete(element);
      uint64_t bytes = 0;
      const bool fits = !__builtin_mul_overflow(element->canonical->size, from.count, &bytes) && bytes <= kMostBytes;
      return types_.array_of(element, fits ? from.count : 0);
    }
    case CType::Kind::Struct:
    case CType::Kind::Union: {
      Type::Kind kind = from.kind == CType::Kind::Union ? Type::Kind::Union : Type::Kind::Struct;
      const std::string name = (kind == Type::Kind::Union ? "union " : "struct ") + from.name;
      // A type that the script has only declared becomes this one, if the name means it.
      const Type* declared = from.name.empty() ? nullptr : types_.find(name);
      const bool same = declared && !declared->complete && !declared->own && locate(name) == Origin{source, id};
      Type* record = same ? const_cast<Type*>(declared) : types_.foreign_record(kind, from.name);
      if (from.complete) origins_[record] = {source, id};
      if (!from.name.empty()) met_.emplace(name, record);
      return record;
    }
  }
  return types_.void_type();
}

/// What D has no type for is an array: of its two halves, or of its bytes.
const Type* ForeignTypes::real(const CType& from) {
  const uint64_t size = from.complex ? from.size / 2 : from.size;
  const bool usual = size == 4 || size == 8 || (size == 16 && from.name.ends_with("long double"));
  if (!usual) return types_.array_of(types_.integer(1, false), std::min<uint64_t>(from.size, 64));
  const Type* one = types_.float_type(static_cast<uint32_t>(size));
  return from.complex ? types_.array_of(one, 2) : one;
}

const Type* ForeignTypes::integer(const CType& from) {
  const Type* named = types_.find(from.name);
  if (from.complex) return types_.array_of(types_.integer(1, false), std::min<uint64_t>(from.size, 64));
  if (named && named->canonical->kind == Type::Kind::Integer && named->canonical->size == from.size) return named;
  const bool usual = from.size == 1 || from.size == 2 || from.size == 4 || from.size == 8;
  if (usual) return types_.integer(static_cast<uint32_t>(from.size), from.is_signed);
  return types_.array_of(types_.integer(1, false), std::min<uint64_t>(from.size, 64));  // such as __int128
}

const Type* ForeignTypes::enumeration(const CType& from) {
  Type* made = types_.foreign_record(Type::Kind::Enum, from.name);
  const bool usual = from.size == 1 || from.size == 2 || from.size == 4 || from.size == 8;
  made->size = usual ? from.size : 4;
  made->is_signed = from.is_signed;
  for (const CEnumerator& one : from.enumerators) {
    made->enumerators.push_back({one.name, one.value});
    enumerators_.emplace(one.name, one.value);
  }
  made->complete = from.complete;
  return made;
}

bool ForeignTypes::complete(const Type* type) {
  auto* record = const_cast<Type*>(type->canonical);
  if (record->complete) return true;
  if (record->own || (record->kind != Type::Kind::Struct && record->kind != Type::Kind::Union)) return false;
  auto origin = origins_.find(record);
  if (origin == origins_.end()) {
    auto found = record->name.ends_with(")") ? std::nullopt : locate(record->name);  // not "struct (anon)"
    if (!found) return false;
    sources_[found->source].made.emplace(found->id, record);
    origin = origins_.emplace(record, *found).first;
  }
  return depth_ <= kDeepest && fill(*record, origin->second);
}

bool ForeignTypes::fill(Type& record, Origin origin) {
  const CType from = sources_[origin.source].types->type(origin.id);
  if (!from.complete || from.size > kMostBytes) return false;
  origins_.erase(&record);  // one that holds itself by value gets no members inside
  ++depth_;
  for (const CMember& member : from.members) add_member(record, member, origin.source, from.size);
  --depth_;
  record.size = from.size;
  types_.completed(&record);
  return true;
}

/// A member that is outside of the record, or has no size, is left out.
void ForeignTypes::add_member(Type& record, const CMember& from, size_t source, uint64_t size) {
  Member member;
  member.name = from.name;
  member.type = convert(source, from.type);
  const Type* real = member.type->canonical;
  if (real->kind == Type::Kind::Void || real->kind == Type::Kind::Function) return;
  if (member.type->is_record() && !complete(member.type)) return;
  member.offset = from.bit_offset / 8;
  member.bit_offset = static_cast<uint32_t>(from.bit_offset % 8);
  member.bit_width = from.bit_width;
  if (from.bit_width == 0 && member.bit_offset != 0) return;
  if (member.bit_offset + member.bit_width > 64 || (member.bit_width > 0 && !member.type->is_integer())) return;
  const uint64_t bytes = member.bit_width ? (member.bit_offset + member.bit_width + 7) / 8 : real->size;
  if (member.offset > size || bytes > size - member.offset) return;
  if (!member.name.empty()) return record.members.push_back(std::move(member));
  for (Member inner : real->members) {  // of a struct without a name
    inner.offset += member.offset;
    record.members.push_back(std::move(inner));
  }
}

std::string ForeignTypes::advice(std::string_view name) {
  const size_t scope = name.rfind(' ') == std::string_view::npos ? 0 : name.rfind(' ') + 1;
  const bool kernel = is_kernel(name.substr(scope, std::min(name.find('`'), name.size()) - scope));
  for (Source& source : sources_) {
    const bool missing = source.opened && !source.types;
    if (kernel && missing && source.pid == 0)
      return "this kernel does not describe its types: there is no " + source.path;
    if (!kernel && missing && source.executable)
      return source.name + " has no debug information: build it with -g, or install its -dbgsym package";
  }
  return {};
}

std::optional<int64_t> ForeignTypes::enumerator(std::string_view name) const {
  const int64_t* value = find_in(enumerators_, name);
  return value ? std::optional(*value) : std::nullopt;
}

}  // namespace sonde
