// SPDX-License-Identifier: GPL-3.0-or-later
// A flame graph in one SVG file, with the script that zooms
//
//   |  c  |  d  |          a frame is as wide as its count, and above the frame that called it; neighbours are in
//   |     b     | e |      the order of their names, not of time
//   |        a      |
//   |       all        |
//
// A click on a frame makes it as wide as the picture; a click on "all" shows everything again. The same counts make the
// same file: colours are derived from names. Frames narrower than a twentieth of a pixel are left out.
#include <algorithm>
#include <cmath>
#include <memory>

#include "runtime/format/append.h"
#include "runtime/print/folded_stacks.h"

namespace sonde {
namespace {

constexpr double kWidth = 1200;
constexpr int kRow = 17;         // pixels of a frame's height
constexpr int kMargin = 30;      // above the frames
constexpr double kLetter = 7.3;  // pixels: no usual monospace font has wider letters at 12px
constexpr double kNarrowest = 0.05;

struct Frame {
  int64_t count = 0;
  std::map<std::string, std::unique_ptr<Frame>> callees;
};

std::string xml(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += text[i];
    }
  }
  // The two characters of UTF-8 that XML does not allow.
  for (const char* none : {"\xef\xbf\xbe", "\xef\xbf\xbf"})
    for (size_t at; (at = out.find(none)) != out.npos;) out.replace(at, 3, "?");
  return out;
}

/// A warm colour, the same for a name in every picture.
std::string colour(std::string_view name) {
  uint32_t hash = 2166136261;
  for (const unsigned char c : name) hash = (hash ^ c) * 16777619;
  std::string text;
  append_format(text, "rgb(%u,%u,%u)", 205 + hash % 50, 90 + (hash >> 8) % 120, 40 + (hash >> 16) % 40);
  return text;
}

/// The part of a name that fits, without the module if necessary; empty: too little to be useful. Never cuts a
/// character.
std::string label(std::string_view name, double width) {
  const auto room = static_cast<size_t>(std::max(0.0, (width - 6) / kLetter));
  if (room < 3) return {};
  if (name.size() <= room) return xml(name);
  name.remove_prefix(name.find('`') + 1);  // npos + 1 is 0: without a module nothing is removed
  if (name.size() <= room) return xml(name);
  size_t end = room - 2;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;
  return xml(name.substr(0, end)) + "..";
}

constexpr std::string_view kStyle =
    "text{font:12px monospace;pointer-events:none}g.f{cursor:pointer}g.f:hover rect{stroke:#000;stroke-width:.7}"
    "g.up rect{opacity:.5}";

/// The attributes of a frame: n its name, x and w in counts, d how deep it is.
constexpr std::string_view kScript = R"(
'use strict';
const width = 1200, letter = 7.3, frames = Array.from(document.querySelectorAll('g.f'));
function zoom(to) {
  const x0 = +to.dataset.x, w0 = +to.dataset.w, d0 = +to.dataset.d;
  for (const f of frames) {
    const x = +f.dataset.x, w = +f.dataset.w, up = +f.dataset.d < d0;
    const shown = up ? x <= x0 && x + w >= x0 + w0 : x >= x0 && x + w <= x0 + w0;
    f.style.display = shown ? '' : 'none';
    f.classList.toggle('up', up);
    if (!shown) continue;
    const left = up ? 0 : (x - x0) / w0 * width, wide = up ? width : w / w0 * width;
    const [rect, text] = [f.querySelector('rect'), f.querySelector('text')];
    rect.setAttribute('x', left);
    rect.setAttribute('width', wide);
    text.setAttribute('x', left + 3);
    const room = Math.floor((wide - 6) / letter), whole = f.dataset.n;
    const name = whole.length <= room ? whole : whole.slice(whole.indexOf('`') + 1);
    text.textContent = room < 3 ? '' : name.length <= room ? name : name.slice(0, room - 2) + '..';
  }
}
for (const f of frames) f.addEventListener('click', () => zoom(f));
)";

class SvgPrinter final : public StackPrinter {
 public:
  using StackPrinter::StackPrinter;

 private:
  void show(const std::map<FoldedStacks::Path, int64_t>& counts) override {
    Frame all;
    depth_ = 0;
    for (const auto& [path, count] : counts) {
      Frame* frame = &all;
      frame->count = add_counts(frame->count, count);
      for (const std::string& name : path) {
        std::unique_ptr<Frame>& callee = frame->callees[name];
        if (callee == nullptr) callee = std::make_unique<Frame>();
        frame = callee.get();
        frame->count = add_counts(frame->count, count);
      }
      depth_ = std::max(depth_, path.size());
    }
    total_ = all.count;
    draw(all);
  }

  void draw(const Frame& all) {
    const int height = static_cast<int>(depth_ + 1) * kRow + kMargin + 10;
    append_format(sink_.text,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %d\" width=\"%.0f\" height=\"%d\">\n",
                  kWidth, height, kWidth, height);
    sink_.text.append("<style>").append(kStyle).append("</style>\n");
    sink_.text += "<rect width=\"100%\" height=\"100%\" fill=\"#fbfaf5\"/>\n";
    append_format(sink_.text, "<text x=\"%.0f\" y=\"20\" text-anchor=\"middle\">%lld in all</text>\n", kWidth / 2,
                  static_cast<long long>(total_));
    if (total_ > 0) frame("all", all, 0, 0);
    sink_.text.append("<script><![CDATA[").append(kScript).append("]]></script>\n</svg>\n");
  }

  /// `before`: total of the counts to the left.
  void frame(const std::string& name, const Frame& frame, int64_t before, size_t depth) {
    const double scale = kWidth / static_cast<double>(total_), share = static_cast<double>(frame.count);
    const double x = static_cast<double>(before) * scale, wide = share * scale;
    if (wide < kNarrowest) return;
    const int y = kMargin + static_cast<int>(depth_ - depth) * kRow;
    const std::string shown = xml(name);
    append_format(sink_.text, "<g class=\"f\" data-x=\"%lld\" data-w=\"%lld\" data-d=\"%zu\" data-n=\"",
                  static_cast<long long>(before), static_cast<long long>(frame.count), depth);
    sink_.text += shown + "\"><title>" + shown;
    append_format(sink_.text, ": %lld, %.2f%%</title>", static_cast<long long>(frame.count),
                  100 * share / static_cast<double>(total_));
    append_format(sink_.text, "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" rx=\"1\" fill=\"", x, y, wide,
                  kRow - 1);
    sink_.text += colour(name);
    append_format(sink_.text, "\"/><text x=\"%.2f\" y=\"%d\">", x + 3, y + 12);
    sink_.text += label(name, wide) + "</text></g>\n";
    for (const auto& [called, callee] : frame.callees) {
      this->frame(called, *callee, before, depth + 1);
      before = add_counts(before, callee->count);
    }
  }

  size_t depth_ = 0;  ///< length of the longest path
  int64_t total_ = 0;
};

}  // namespace

std::unique_ptr<Printer> make_svg_printer(PrintSink& sink) { return std::make_unique<SvgPrinter>(sink); }

}  // namespace sonde
