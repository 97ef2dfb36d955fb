// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/header.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include "cli/diagnostics.h"
#include "cli/sources.h"
#include "compiler/header/declared.h"

namespace sonde {
namespace {

constexpr size_t kElfHeader = 64;

/// The name in the current folder, with `ending` instead of .d; empty: the script is named otherwise.
std::string name_from(const std::string& script, std::string_view ending) {
  if (!script.ends_with(".d")) return {};
  const std::string name = script.substr(script.rfind('/') + 1);
  return name.substr(0, name.size() - 2) + std::string(ending);
}

Result<std::string> output_name(const Arguments& arguments) {
  const bool header = arguments.mode == Mode::Header;
  if (!arguments.output.empty()) return arguments.output;
  const std::string option = header ? "-h" : "-G", ending = header ? ".h" : ".o";
  if (arguments.programs.size() > 1) return Error(option + ": several scripts need -o FILE" + ending, EINVAL);
  const std::string name = name_from(arguments.programs.front().text, ending);
  if (name.empty()) return Error(option + ": a script that is not named FILE.d needs -o FILE" + ending, EINVAL);
  return name;
}

std::string beginning_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text(kElfHeader, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(stream.gcount()));
  return text;
}

/// The first object is of the machine that is built for. Those of clang's -flto are no ELF files.
Result<std::string> object_for(const std::vector<DeclaredProvider>& providers,
                               const std::vector<std::string>& objects) {
  for (const std::string& one : objects) {
    if (!std::ifstream(one)) return Error::from_errno("-G: failed to open " + one);
    const std::string beginning = beginning_of(one);
    if (!beginning.starts_with("\177ELF")) continue;
    auto made = object_file(providers, beginning);
    return made ? std::move(made) : std::move(made).error().context("-G: " + one);
  }
  return object_file(providers, beginning_of("/proc/self/exe"));
}

/// A file that is written in part is removed: make would take it for a whole one.
Result<void> write_whole(const std::string& name, const std::string& text) {
  FILE* file = std::fopen(name.c_str(), "we");
  if (file == nullptr) return Error::from_errno("failed to open " + name);
  struct stat about {};
  const bool removable = ::fstat(::fileno(file), &about) == 0 && S_ISREG(about.st_mode);
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int code = errno;
  if (std::fclose(file) == 0 && written) return {};
  Error failed = Error::from_errno("failed to write " + name, written ? errno : code);
  if (removable && std::remove(name.c_str()) != 0)
    return Error(failed.message() + "; it is there in part, and cannot be removed", failed.code());
  return failed;
}

/// Returns whether there are errors.
bool show(const std::vector<Reported>& wrong, const std::vector<Reported>& doubtful,
          const std::vector<SourceText>& texts, const Options& options, FileOutput& output) {
  const Look look = Look::of(STDERR_FILENO);
  const DiagnosticForm form = diagnostic_form(options, look);
  show_warnings(output, doubtful, texts, 0, form, look);
  if (form != DiagnosticForm::DTrace && !wrong.empty()) {
    output.report(show_diagnostics(wrong, texts, 0, form, look));
    return true;
  }
  for (const Reported& one : wrong)
    output.report(fatal_text(render(one.diagnostic, one.source, options.flag("errtags")), look));
  return !wrong.empty();
}

}  // namespace

Result<int> make_header_or_object(const Arguments& arguments, const Options& options, FileOutput& output) {
  auto name = output_name(arguments);
  if (!name) return std::move(name).error();
  auto texts = read_sources(arguments.programs, options);
  if (!texts) return std::move(texts).error();
  std::vector<DeclaredProvider> providers;
  std::vector<Reported> wrong, doubtful;
  for (const SourceText& text : *texts) {
    Diagnostics diagnostics;
    for (DeclaredProvider& one : declared_providers(text.text, diagnostics)) providers.push_back(std::move(one));
    for (const Diagnostic& one : diagnostics.list()) wrong.push_back({one, text});
    for (const Diagnostic& one : diagnostics.warnings()) doubtful.push_back({one, text});
  }
  if (show(wrong, doubtful, *texts, options, output)) return 1;
  if (arguments.mode == Mode::Header) {
    auto written = write_whole(*name, header_text(providers, arguments.programs.front().text));
    return written ? Result<int>(0) : std::move(written).error();
  }
  auto object = object_for(providers, arguments.words);
  if (!object) return std::move(object).error();
  auto written = write_whole(*name, *object);
  return written ? Result<int>(0) : std::move(written).error();
}

}  // namespace sonde
