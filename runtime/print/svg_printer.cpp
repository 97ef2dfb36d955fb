// SPDX-License-Identifier: GPL-3.0-or-later
// A flame graph in one SVG file, with the script that zooms
//
//   |  c  |  d  |          a frame is as wide as its count, and above the frame that called it; neighbours are in
//   |     b     | e |      the order of their names, not of time
//   |        a      |
//   |       all        |
//
// The script makes the picture as wide as the window. A click on a frame makes it as wide as the picture; a click on "all"
// shows everything again. Frames whose names match what is typed are marked, and the line below says how much of all they
// cover. The same counts make the same file: colours are derived from names. Frames narrower than a twentieth of a pixel
// are left out.
#include <algorithm>
#include <cmath>
#include <memory>

#include "runtime/format/append.h"
#include "runtime/print/folded_stacks.h"
#include "runtime/print/json.h"

namespace sonde {
namespace {

constexpr double kWidth = 1200;
constexpr int kRow = 17;          // pixels of a frame's height
constexpr int kMargin = 34;       // above the frames: the title and the field for a search
constexpr int kBelow = 26;        // below them: the line that says what the pointer shows
constexpr double kField = 180;    // pixels of the field
constexpr size_t kHeading = 108;  // letters of the title beside it
constexpr double kLetter = 7.3;   // pixels: no usual monospace font has wider letters at 12px
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

/// Without control characters, which XML has none of, and as UTF-8.
std::string one_line(std::string_view text) {
  std::string line;
  append_utf8(text, line);
  std::ranges::replace_if(
      line, [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
  return line;
}

/// A warm colour, the same for a name in every picture.
std::string colour(std::string_view name) {
  uint32_t hash = 2166136261;
  for (const unsigned char c : name) hash = (hash ^ c) * 16777619;
  std::string text;
  append_format(text, "rgb(%u,%u,%u)", 205 + hash % 50, 90 + (hash >> 8) % 120, 40 + (hash >> 16) % 40);
  return text;
}

/// At most `room` bytes, but never a part of a character.
std::string cut(std::string_view text, size_t room) {
  if (text.size() <= room) return xml(text);
  size_t end = room - 2;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return xml(text.substr(0, end)) + "..";
}

/// The part of a name that fits, without the module if necessary; empty: too little to be useful. Never cuts a
/// character.
std::string label(std::string_view name, double width) {
  const auto room = static_cast<size_t>(std::max(0.0, (width - 6) / kLetter));
  if (room < 3) return {};
  if (name.size() <= room) return xml(name);
  name.remove_prefix(name.find('`') + 1);  // npos + 1 is 0: without a module nothing is removed
  return cut(name, room);
}

/// Colours follow the reader's theme; those of frames are readable on both.
constexpr std::string_view kStyle =
    "svg{background:#fbfaf5;color:#222}text{font:12px monospace;fill:currentColor;pointer-events:none}"
    "text.t{font-size:15px;font-weight:bold}#top>rect,#below>rect{fill:#fbfaf5}g.f text{fill:#000}g.f{cursor:pointer}"
    "g.f:hover rect{stroke:currentColor;stroke-width:1}g.up rect{opacity:.5}g.hit rect{fill:#c86bff}"
    "input{font:12px monospace;width:168px;box-sizing:border-box;color:inherit;background:transparent;"
    "border:1px solid #888;border-radius:3px}"
    "@media(prefers-color-scheme:dark){svg{background:#1b1c1f;color:#ddd}#top>rect,#below>rect{fill:#1b1c1f}g.hit "
    "rect{fill:#b45cf0}}";

/// The attributes of a frame: n its name, x and w in counts, d how deep it is. Without the script, as in a page that shows
/// the file as an image, the picture is kWidth wide.
constexpr std::string_view kScript = R"(
'use strict';
const letter = 7.3, frames = Array.from(document.querySelectorAll('g.f'));
const picture = document.querySelector('svg'), info = document.querySelector('#info'), field = document.querySelector('input');
const upper = document.querySelector('#top'), lower = document.querySelector('#below');
const heading = document.querySelector('text.t'), title = document.querySelector('title').textContent;
const height = +picture.getAttribute('height'), all = +(frames.length ? frames[0].dataset.w : 0);
let width = 1200, shown = frames[0], sought = '';
const cut = (text, room) => text.length <= room ? text : text.slice(0, Math.max(room - 2, 0)) + '..';
const count = n => (+n).toLocaleString('en'), percent = (n, of) => (100 * n / of).toFixed(2) + '%';
const end = f => +f.dataset.x + +f.dataset.w;
function place(f, left, wide) {
  const [rect, text] = [f.querySelector('rect'), f.querySelector('text')];
  rect.setAttribute('x', left);
  rect.setAttribute('width', wide);
  text.setAttribute('x', left + 3);
  const room = Math.floor((wide - 6) / letter), whole = f.dataset.n;
  const name = whole.length <= room ? whole : whole.slice(whole.indexOf('`') + 1);
  text.textContent = room < 3 ? '' : cut(name, room);
}
function zoom(to) {
  shown = to;
  const x0 = +to.dataset.x, w0 = +to.dataset.w, d0 = +to.dataset.d;
  for (const f of frames) {
    const x = +f.dataset.x, w = +f.dataset.w, up = +f.dataset.d < d0;
    const visible = up ? x <= x0 && x + w >= x0 + w0 : x >= x0 && x + w <= x0 + w0;
    f.style.display = visible ? '' : 'none';
    f.classList.toggle('up', up);
    if (visible) place(f, up ? 0 : (x - x0) / w0 * width, up ? width : w / w0 * width);
  }
  tell();
}
function tell(f) {
  let text = count(all) + ' in all';
  if (f) {
    text = f.dataset.n + ': ' + count(f.dataset.w) + ', ' + percent(f.dataset.w, all);
    if (shown !== frames[0] && !f.classList.contains('up')) text += ', ' + percent(f.dataset.w, shown.dataset.w) + ' of ' + shown.dataset.n;
  } else if (sought) {
    text = sought + ' matches ' + percent(matched(), all) + ' of ' + text;
  } else if (shown !== frames[0]) {
    text = shown.dataset.n + ': ' + percent(shown.dataset.w, all) + ' of ' + text + '; Esc shows all';
  }
  info.textContent = text;
}
function matched() {
  let sum = 0, to = 0;
  const hits = frames.filter(f => f.classList.contains('hit'));
  for (const f of hits.sort((a, b) => a.dataset.x - b.dataset.x || b.dataset.w - a.dataset.w)) {
    if (+f.dataset.x < to) continue;
    sum += +f.dataset.w;
    to = end(f);
  }
  return sum;
}
function search(text) {
  sought = text;
  let wanted = null;
  try { wanted = text && new RegExp(text, 'i'); } catch (error) { wanted = {test: name => name.includes(text)}; }
  for (const f of frames) f.classList.toggle('hit', f !== frames[0] && !!wanted && wanted.test(f.dataset.n));
  tell();
}
function fit() {
  width = Math.max(innerWidth, 320);
  picture.setAttribute('width', width);
  picture.setAttribute('viewBox', '0 0 ' + width + ' ' + height);
  heading.textContent = cut(title, Math.floor((width - 200) / 9.2));
  zoom(shown);
  follow();
}
// A picture that is taller than the window: its title and its line stay in sight.
function follow() {
  upper.setAttribute('transform', 'translate(0,' + scrollY + ')');
  lower.setAttribute('transform', 'translate(0,' + Math.min(scrollY + innerHeight - height, 0) + ')');
}
for (const f of frames) {
  f.addEventListener('click', () => zoom(f));
  f.addEventListener('mouseover', () => tell(f));
  f.addEventListener('mouseout', () => tell());
}
if (frames.length) {
  field.addEventListener('input', () => search(field.value));
  addEventListener('resize', fit);
  addEventListener('scroll', follow);
  addEventListener('keydown', event => {
    if (event.key === 'f' && (event.ctrlKey || event.metaKey) || event.key === '/' && document.activeElement !== field) {
      event.preventDefault();
      field.focus();
      field.select();
    } else if (event.key === 'Escape') {
      field.value = '';
      field.blur();
      search('');
      zoom(frames[0]);
    }
  });
  fit();
  scrollTo(0, height);
}
)";

class SvgPrinter final : public StackPrinter {
 public:
  using StackPrinter::StackPrinter;

  void start(const RunStart& start) override { title_ = start.title; }

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
    const int height = static_cast<int>(depth_ + 1) * kRow + kMargin + kBelow;
    append_format(sink_.text,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %d\" width=\"%.0f\" height=\"%d\">\n",
                  kWidth, height, kWidth, height);
    const std::string title = one_line(title_);
    sink_.text.append("<title>").append(xml(title)).append("</title>\n<style>").append(kStyle).append("</style>\n");
    if (total_ > 0) frame("all", all, 0, 0);
    append_format(sink_.text, "<g id=\"top\"><rect width=\"100%%\" height=\"%d\"/><text class=\"t\" x=\"6\" y=\"22\">",
                  kMargin - 2);
    append_format(sink_.text,
                  "%s</text><svg x=\"100%%\" overflow=\"visible\"><foreignObject x=\"-%.0f\" y=\"5\" width=\"%.0f\" "
                  "height=\"24\"><input xmlns=\"http://www.w3.org/1999/xhtml\" placeholder=\"search: Ctrl-F\"/>"
                  "</foreignObject></svg></g>\n",
                  cut(title, kHeading).c_str(), kField, kField);
    append_format(sink_.text,
                  "<g id=\"below\"><rect y=\"%d\" width=\"100%%\" height=\"%d\"/><text id=\"info\" x=\"6\" y=\"%d\">"
                  "%lld in all</text></g>\n",
                  height - kBelow + 2, kBelow - 2, height - 9, static_cast<long long>(total_));
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

  std::string title_;
  size_t depth_ = 0;  ///< length of the longest path
  int64_t total_ = 0;
};

}  // namespace

std::unique_ptr<Printer> make_svg_printer(PrintSink& sink) { return std::make_unique<SvgPrinter>(sink); }

}  // namespace sonde
