// SPDX-License-Identifier: GPL-3.0-or-later
// Folded stacks, as flamegraph.pl and inferno read them: frames from the root, ';' between them, a blank, the count.
#include "runtime/print/folded_stacks.h"

namespace sonde {
namespace {

class FoldedPrinter final : public StackPrinter {
 public:
  using StackPrinter::StackPrinter;

 private:
  void show(const std::map<FoldedStacks::Path, int64_t>& counts) override {
    for (const auto& [path, count] : counts) {
      for (size_t i = 0; i < path.size(); ++i) sink_.text.append(i == 0 ? "" : ";").append(path[i]);
      sink_.text += " " + std::to_string(count) + "\n";
    }
  }
};

}  // namespace

std::unique_ptr<Printer> make_folded_printer(PrintSink& sink) { return std::make_unique<FoldedPrinter>(sink); }

}  // namespace sonde
