// SPDX-License-Identifier: GPL-3.0-or-later
// The cost of compiling: start-up of the pipeline, and 1 to 10,000 clauses, in milliseconds of processor time per
// phase, and the memory used so far. Other load on the machine does not count.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "compiler/check/world.h"
#include "compiler/codegen/body_compiler.h"
#include "compiler/compiler.h"
#include "compiler/llvm/jit.h"
#include "compiler/split/splitter.h"
#include "providers/registry.h"
#include "runtime/framework/framework.h"

namespace {

using namespace sonde;

double now() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

class Phases {
 public:
  explicit Phases(std::string name) : name_(std::move(name)) { std::printf("%-24s", name_.c_str()); }
  ~Phases() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::printf("  total %8.2f ms  %5.0f MB\n", total_, static_cast<double>(usage.ru_maxrss) / 1024);
  }
  void end(const char* phase) {
    double time = now() - begin_;
    total_ += time;
    std::printf("  %s %8.2f", phase, time);
    begin_ = now();
  }

 private:
  std::string name_;
  double begin_ = now(), total_ = 0;
};

std::string script(int clauses) {
  std::string text;
  for (int i = 0; i < clauses; ++i) {
    std::string n = std::to_string(i);
    text += "syscall::read:entry /arg0 == " + n + "/ { self->t" + std::to_string(i % 50) + " = timestamp; @a" + n +
            "[execname, probefunc] = count(); }\n";
    text += "syscall::read:return /self->t" + std::to_string(i % 50) + "/ { printf(\"%s %d\\n\", execname, arg1 + " +
            n + "); @q = quantize(timestamp - self->t" + std::to_string(i % 50) + "); }\n";
  }
  return text;
}

void require(bool fine, const std::string& why) {
  if (fine) return;
  std::fprintf(stderr, "compile_bench: %s\n", why.c_str());
  std::exit(1);
}

/// Measures the whole compilation, from the start each time, as a command does.
void measure(const std::string& name, const SourceText& text) {
  Options options;
  BodyProgram program;
  Phases phases(name);
  Framework framework(nullptr);
  register_providers();
  phases.end("providers");
  {
    Compiler compiler(program, framework, options);
    phases.end("compiler");
    auto compiled = compiler.compile(std::span(&text, 1), {});
    require(compiled.has_value(), compiled ? "" : compiled.error().message());
    phases.end("compile");
  }
  phases.end("away");
  unregister_providers();
}

/// Measures the same in parts.
void measure_parts(const std::string& name, const SourceText& text) {
  Options options;
  BodyProgram program;
  Framework framework(nullptr);
  register_providers();
  {
    World world(program, framework, options);
    Splitter splitter(program, options);
    BodyCompiler compiler;
    Jit jit;
    Phases phases(name);
    Diagnostics diagnostics;
    LoweredUnit unit = front_end(world, text, {}, diagnostics);
    require(!diagnostics.any(), diagnostics.any() ? diagnostics.list()[0].message : "");
    phases.end("front end");
    auto clauses = splitter.split({&unit, 1}, diagnostics);
    require(!diagnostics.any(), diagnostics.any() ? diagnostics.list()[0].message : "");
    phases.end("split");
    auto bodies = compiler.compile(program, clauses);
    require(bodies.has_value(), bodies ? "" : bodies.error().message());
    phases.end("bodies");
    auto native = jit.compile(*bodies);
    require(native.has_value(), native ? "" : native.error().message());
    phases.end("native code");
  }
  unregister_providers();
}

}  // namespace

int main() {
  SourceText begin{SourceText::Kind::Name, "BEGIN { exit(0); }", "BEGIN { exit(0); }"};
  measure("BEGIN{exit(0)}, first", begin);
  measure("BEGIN{exit(0)}, again", begin);
  measure_parts("BEGIN{exit(0)}", begin);
  for (int clauses : {1, 100, 1000, 10'000}) {
    SourceText text{SourceText::Kind::Script, "bench.d", script(clauses / 2 + clauses % 2)};
    measure_parts(std::to_string(clauses) + " clauses", text);
  }
  return 0;
}
