// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/prompt/watch.h"

#include <cerrno>
#include <sstream>
#include <utility>

#include "runtime/base/clock.h"

namespace sonde {

Watch::Watch(Session& session, FileOutput& output, Screen& screen)
    : session_(session), output_(output), screen_(screen) {
  session_.tracing().loop().at([this] { return due_; },
                               [this] {
                                 due_ = monotonic_now() + watched_.period;
                                 draw();
                               });
}

void Watch::begin(Watched watched) {
  watched_ = std::move(watched);
  due_ = monotonic_now();
}

void Watch::end() {
  due_ = EventLoop::kNever;
  screen_.set_block("");
}

void Watch::draw() {
  if (screen_.flood().gate() == Flood::Gate::Paused) return;
  screen_.set_block(
      output_.capture([this] { (void)session_.tracing().consumer().print_aggregation(watched_.name).has_value(); }));
}

Result<Watched> parse_watch(const std::string& text) {
  std::istringstream words(text);
  Watched watched{"", Watch::kUsualPeriod};
  for (std::string word; words >> word;) {
    Options options;
    if (word.starts_with('@') && watched.name.empty()) {
      watched.name = word.substr(1);
    } else if (options.set("duration", word, false, false) && options.number("duration") >= Watch::kLeastPeriod) {
      watched.period = options.number("duration");
    } else {
      return Error(word + " is neither @NAME nor a time of 100ms or more, as 2s", EINVAL);
    }
  }
  return watched;
}

}  // namespace sonde
