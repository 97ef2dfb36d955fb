// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/elf_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <lzma.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "runtime/process/arch.h"
#include "runtime/process/elf_handle.h"
#include "runtime/process/proc_maps.h"

namespace sonde {
namespace {

constexpr uint64_t kMaxFunctionBytes = 16 << 20;

constexpr char kDebugFiles[] = "/usr/lib/debug";

/// Empty if it is not an xz stream, or unpacks to more than kMost bytes.
std::vector<char> unpack_xz(const void* packed, size_t size) {
  constexpr size_t kMost = 256 << 20, kMemory = 128 << 20;
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, kMemory, 0) != LZMA_OK) return {};
  std::vector<char> bytes;
  stream.next_in = static_cast<const uint8_t*>(packed);
  stream.avail_in = size;
  lzma_ret state = LZMA_OK;
  while (state == LZMA_OK && bytes.size() < kMost) {
    const size_t done = bytes.size();
    bytes.resize(done + std::max<size_t>(size * 4, 1 << 16));
    stream.next_out = reinterpret_cast<uint8_t*>(bytes.data() + done);
    stream.avail_out = bytes.size() - done;
    state = lzma_code(&stream, LZMA_FINISH);
    bytes.resize(bytes.size() - stream.avail_out);
  }
  lzma_end(&stream);
  return state == LZMA_STREAM_END ? bytes : std::vector<char>{};
}

size_t leading_underscores(std::string_view name) { return std::min(name.find_first_not_of('_'), name.size()); }

ElfFunction::Binding binding_of(const GElf_Sym& symbol) {
  switch (GELF_ST_BIND(symbol.st_info)) {
    case STB_LOCAL: return ElfFunction::Binding::Local;
    case STB_WEAK: return ElfFunction::Binding::Weak;
    default: return ElfFunction::Binding::Global;
  }
}

}  // namespace

bool better_name(const ElfFunction& a, const ElfFunction& b) {
  const bool a_local = a.binding == ElfFunction::Binding::Local, b_local = b.binding == ElfFunction::Binding::Local;
  if (a_local != b_local) return b_local;
  const bool a_dollar = a.name.starts_with('$'), b_dollar = b.name.starts_with('$');
  if (a_dollar != b_dollar) return b_dollar;
  const size_t a_underscores = leading_underscores(a.name), b_underscores = leading_underscores(b.name);
  if (a_underscores != b_underscores) return a_underscores < b_underscores;
  if (a.name.size() != b.name.size()) return a.name.size() < b.name.size();
  return a.name < b.name;
}

/// Fills an ElfFile from libelf.
struct ElfFile::Reader {
  ElfFile& file;
  Elf* elf;

  Error broken(const char* what) const { return Error(file.path_ + ": " + what, ENOEXEC); }

  Result<void> read() {
    GElf_Ehdr header;
    if (elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &header) == nullptr) return broken("not an ELF object");
    if (header.e_machine != machine::kElfMachine || gelf_getclass(elf) != ELFCLASS64)
      return broken("built for another machine");
    read_segments();
    file.exported_only_ = !read_sections() && !read_by_build_id() && !read_by_debug_link() && !read_mini_debug();
    finish();
    return {};
  }

  /// Reads the symbols; returns whether they are complete, that is, there is a .symtab.
  bool read_sections() {
    bool all = false;
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) == nullptr) continue;
      if (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM) continue;
      read_symbols(section, header);
      all = all || header.sh_type == SHT_SYMTAB;
    }
    return all;
  }

  /// The build id in hex; empty: none.
  static std::string build_id(Elf* object) {
    const void* bytes = nullptr;
    const ssize_t length = dwelf_elf_gnu_build_id(object, &bytes);
    std::string text;
    char digits[3];
    for (ssize_t i = 0; i < length; i++) {
      std::snprintf(digits, sizeof digits, "%02x", static_cast<const uint8_t*>(bytes)[i]);
      text += digits;
    }
    return text;
  }

  /// Reads the symbols of the file `path` if `belongs` accepts it.
  template <typename Belongs>
  bool read_other(const std::string& path, Belongs belongs) {
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    const ElfHandle other(fd ? elf_begin(fd.get(), ELF_C_READ_MMAP, nullptr) : nullptr);
    return other != nullptr && belongs(other.get()) && Reader{file, other.get()}.read_sections();
  }

  bool read_by_build_id() {
    const std::string id = build_id(elf);
    if (id.size() < 4) return false;
    return read_other(kDebugFiles + ("/.build-id/" + id.substr(0, 2)) + "/" + id.substr(2) + ".debug",
                      [&](Elf* other) { return build_id(other) == id; });
  }

  bool read_by_debug_link() {
    GElf_Word sum = 0;
    const char* name = dwelf_elf_gnu_debuglink(elf, &sum);
    if (name == nullptr || !file.path_.starts_with('/')) return false;
    const std::string folder = file.path_.substr(0, file.path_.rfind('/') + 1), id = build_id(elf);
    const auto belongs = [&](Elf* other) { return id.empty() ? sum_of(other) == sum : build_id(other) == id; };
    for (const std::string& place : {folder, folder + ".debug/", kDebugFiles + folder})
      if (read_other(place + name, belongs)) return true;
    return false;
  }

  static uint32_t sum_of(Elf* object) {
    size_t size = 0;
    const char* bytes = elf_rawfile(object, &size);
    return bytes == nullptr ? 0 : static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes), size));
  }

  bool read_mini_debug() {
    size_t names = 0;
    if (elf_getshdrstrndx(elf, &names) != 0) return false;
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) == nullptr) continue;
      const char* name = elf_strptr(elf, names, header.sh_name);
      if (name == nullptr || std::string_view(name) != ".gnu_debugdata") continue;
      const Elf_Data* data = elf_rawdata(section, nullptr);
      std::vector<char> bytes = data == nullptr ? std::vector<char>{} : unpack_xz(data->d_buf, data->d_size);
      const ElfHandle other(bytes.empty() ? nullptr : elf_memory(bytes.data(), bytes.size()));
      return other != nullptr && Reader{file, other.get()}.read_sections();
    }
    return false;
  }

  void read_segments() {
    size_t count = 0;
    if (elf_getphdrnum(elf, &count) != 0) return;
    for (size_t i = 0; i < count; i++) {
      GElf_Phdr header;
      if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr) continue;
      if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0) continue;
      file.code_.push_back({header.p_vaddr, header.p_offset, header.p_filesz});
    }
  }

  void read_symbols(Elf_Scn* section, const GElf_Shdr& header) {
    Elf_Data* data = elf_getdata(section, nullptr);
    if (data == nullptr || header.sh_entsize == 0) return;
    const size_t count = header.sh_size / header.sh_entsize;
    for (size_t i = 0; i < count; i++) {
      GElf_Sym symbol;
      if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) continue;
      const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
      if (name != nullptr) add(symbol, name);
    }
  }

  uint64_t section_end(size_t index) const {
    Elf_Scn* section = elf_getscn(elf, index);
    GElf_Shdr header;
    return section != nullptr && gelf_getshdr(section, &header) != nullptr ? header.sh_addr + header.sh_size : 0;
  }

  void add(const GElf_Sym& symbol, std::string_view name) {
    const auto type = GELF_ST_TYPE(symbol.st_info);
    if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF) return;
    name = name.substr(0, name.find('@'));
    ElfFunction function;
    if (name.empty() || !file.offset_of(symbol.st_value, function.offset)) return;
    function.name = name;
    function.address = symbol.st_value;
    function.size = symbol.st_size;
    function.limit = symbol.st_size != 0 ? symbol.st_value + symbol.st_size : section_end(symbol.st_shndx);
    function.binding = binding_of(symbol);
    (type == STT_FUNC ? file.functions_ : file.indirect_).push_back(std::move(function));
  }

  static void order(std::vector<ElfFunction>& functions) {
    std::ranges::sort(functions, [](const ElfFunction& a, const ElfFunction& b) {
      return a.address != b.address ? a.address < b.address : better_name(a, b);
    });
    const auto same = [](const ElfFunction& a, const ElfFunction& b) {
      return a.address == b.address && a.name == b.name;
    };
    functions.erase(std::unique(functions.begin(), functions.end(), same), functions.end());
  }

  void finish() {
    auto& functions = file.functions_;
    order(functions);
    order(file.indirect_);
    functions.shrink_to_fit();
    const std::hash<std::string_view> hash;
    for (const bool local : {false, true}) {  // of functions with the same name, global ones come first
      for (uint32_t i = 0; i < functions.size(); i++) {
        const bool is_local = functions[i].binding == ElfFunction::Binding::Local;
        if (is_local != local || file.find(functions[i].name) != nullptr) continue;
        file.by_name_.add(i, hash(functions[i].name), [&](uint32_t known) { return hash(functions[known].name); });
      }
    }
  }
};

Result<std::shared_ptr<const ElfFile>> ElfFile::open(const std::string& path) {
  auto file = std::make_shared<ElfFile>();
  file->path_ = path;
  file->fd_ = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file->fd_) return Error::from_errno("open " + path);
  elf_version(EV_CURRENT);
  const ElfHandle elf(elf_begin(file->fd_.get(), ELF_C_READ_MMAP, nullptr));
  if (elf == nullptr) return Error(path + ": not an ELF object", ENOEXEC);
  if (auto read = Reader{*file, elf.get()}.read(); !read) return std::move(read).error();
  return std::shared_ptr<const ElfFile>(std::move(file));
}

Result<std::shared_ptr<const ElfFile>> ElfFile::parse(const std::string& name, std::span<const uint8_t> bytes) {
  auto file = std::make_shared<ElfFile>();
  file->path_ = name;
  elf_version(EV_CURRENT);
  std::vector<char> copy(bytes.begin(), bytes.end());
  const ElfHandle elf(elf_memory(copy.data(), copy.size()));
  if (elf == nullptr) return Error(name + ": not an ELF object", ENOEXEC);
  if (auto read = Reader{*file, elf.get()}.read(); !read) return std::move(read).error();
  return std::shared_ptr<const ElfFile>(std::move(file));
}

const ElfFunction* ElfFile::find(std::string_view name) const {
  const std::hash<std::string_view> hash;
  const uint32_t found = by_name_.find(hash(name), [&](uint32_t at) { return functions_[at].name == name; });
  return found == NumberTable::kNone ? nullptr : &functions_[found];
}

/// The last function that begins at or before `address`, if it contains it. A function without a size reaches to the
/// next one, or to the end of its section: _init does not contain the linkage table that follows.
const ElfFunction* ElfFile::at(uint64_t address) const {
  auto next = std::ranges::upper_bound(functions_, address, {}, &ElfFunction::address);
  for (int looked = 0; next != functions_.begin() && looked < 16; looked++) {
    const ElfFunction& last = *std::prev(next);
    next = std::ranges::lower_bound(functions_.begin(), next, last.address, {}, &ElfFunction::address);
    const auto end = std::ranges::upper_bound(functions_, last.address, {}, &ElfFunction::address);
    for (auto candidate = next; candidate != end; ++candidate)
      if (address - candidate->address < candidate->size) return &*candidate;
    if (looked == 0 && next->size == 0 && address < next->limit) return &*next;
  }
  return nullptr;
}

bool ElfFile::address_of(uint64_t offset, uint64_t& address) const {
  for (const Segment& segment : code_) {
    if (offset - segment.offset >= segment.size) continue;
    address = segment.address + (offset - segment.offset);
    return true;
  }
  return false;
}

bool ElfFile::offset_of(uint64_t address, uint64_t& offset) const {
  for (const Segment& segment : code_) {
    if (address - segment.address >= segment.size) continue;
    offset = segment.offset + (address - segment.address);
    return true;
  }
  return false;
}

std::vector<uint8_t> ElfFile::code(const ElfFunction& function) const { return code(function.offset, function.size); }

std::vector<uint8_t> ElfFile::code(uint64_t offset, uint64_t size) const {
  std::vector<uint8_t> bytes(std::min(size, kMaxFunctionBytes));
  const ssize_t got = pread(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
  bytes.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return bytes;
}

const std::string& vdso_path() {
  static const UniqueFd copy = [] {
    const auto maps = read_proc_maps(static_cast<uint32_t>(getpid()));
    UniqueFd file(memfd_create("vdso", MFD_CLOEXEC));
    if (!maps || !file) return UniqueFd();
    for (const MapEntry& entry : *maps) {
      const auto size = static_cast<ssize_t>(entry.end - entry.start);
      if (entry.path != kVdso) continue;
      if (write(file.get(), reinterpret_cast<const void*>(entry.start), entry.end - entry.start) == size) return file;
    }
    return UniqueFd();
  }();
  static const std::string path = copy ? "/proc/self/fd/" + std::to_string(copy.get()) : "";
  return path;
}

Result<std::shared_ptr<const ElfFile>> ElfCache::open(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    entries_.erase(path);
    return Error::from_errno("open " + path);
  }
  const int64_t changed = status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec;
  Entry now{status.st_dev, status.st_ino, static_cast<uint64_t>(status.st_size), changed, nullptr};
  auto known = entries_.find(path);
  if (known != entries_.end() && known->second.device == now.device && known->second.inode == now.inode &&
      known->second.size == now.size && known->second.changed_ns == now.changed_ns)
    return known->second.file;
  auto file = ElfFile::open(path);
  if (!file) return file;
  now.file = *file;
  entries_[path] = now;
  return file;
}

}  // namespace sonde
