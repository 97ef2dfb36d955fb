// SPDX-License-Identifier: GPL-3.0-or-later
// The user's libraries, each after those that it depends on
//
// A depth-first walk over `depends_on library`. A library is Open while those that it needs are visited, so one that is
// found Open depends on itself. Of two files with one name, that of the first directory counts. A library that needs a
// missing module or provider is left out, and so are those that need it. That is no error: libraries are written for
// many machines.
#include "compiler/check/directories.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "compiler/check/pragma.h"
#include "compiler/source/prepare.h"
#include "runtime/base/find.h"

namespace sonde {
namespace {

namespace fs = std::filesystem;

struct Library {
  SourceText source;
  std::vector<Dependency> needs;
  enum class Visit : uint8_t { New, Open, Done } visit = Visit::New;
};

std::vector<fs::path> files_of(const std::string& directory) {
  std::vector<fs::path> files;
  std::error_code ignored;  // a directory that does not exist has no libraries
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, ignored))
    if (entry.path().extension() == ".d" && entry.is_regular_file(ignored)) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

class Order {
 public:
  Order(World& world, const SourceText& main, SourceText& wrong, Diagnostics& diagnostics)
      : world_(world), wrong_(wrong), diagnostics_(diagnostics) {
    for (const fs::path& file : files_of(world.options.text("syslibdir"))) read(file, main);
    for (const std::string& directory : world.options.list("libdir"))
      for (const fs::path& file : files_of(directory)) read(file, main);
  }

  std::vector<SourceText> run() {
    for (const std::string& name : names_)
      if (!visit(libraries_.at(name))) break;
    return std::move(sorted_);
  }

 private:
  void read(const fs::path& file, const SourceText& main) {
    std::ifstream in(file);
    std::ostringstream text;
    text << in.rdbuf();
    Library library;
    library.source = {main.kind, main.name, text.str(), file.string()};
    Diagnostics later;  // its errors are reported when it is compiled
    library.needs = dependencies(prepare(library.source.text, later).controls);
    if (libraries_.emplace(file.filename().string(), std::move(library)).second)
      names_.push_back(file.filename().string());
  }

  bool visit(Library& library) {
    if (library.visit == Library::Visit::Done) return true;
    library.visit = Library::Visit::Open;
    for (const Dependency& need : library.needs) {
      if (need.kind != "library") continue;
      Library* needed = find_in(libraries_, need.name);
      if (needed == nullptr) return wrong(library, need, "library " + need.name + " is not found");
      if (needed->visit == Library::Visit::Open)
        return wrong(library, need, "libraries depend on each other: " + need.name + " needs this one");
      if (!visit(*needed)) return false;
    }
    library.visit = Library::Visit::Done;
    bool usable = std::ranges::all_of(library.needs, [this](const Dependency& need) {
      return need.kind == "library" ? dropped_.count(need.name) == 0 : is_met(world_, need);
    });
    if (usable)
      sorted_.push_back(library.source);
    else
      dropped_[fs::path(library.source.library).filename().string()] = true;
    return true;
  }

  bool wrong(const Library& library, const Dependency& need, const std::string& message) {
    wrong_ = library.source;
    diagnostics_.report("D_PRAGMA_DEPEND", need.where, message);
    return false;
  }

  World& world_;
  SourceText& wrong_;
  Diagnostics& diagnostics_;
  std::map<std::string, Library> libraries_;
  std::vector<std::string> names_;  ///< in the order of the directories
  std::map<std::string, bool> dropped_;
  std::vector<SourceText> sorted_;
};

}  // namespace

std::vector<SourceText> directory_libraries(World& world, const SourceText& main, SourceText& wrong,
                                            Diagnostics& diagnostics) {
  if (world.options.flag("nolibs")) return {};
  return Order(world, main, wrong, diagnostics).run();
}

}  // namespace sonde
