// SPDX-License-Identifier: GPL-3.0-or-later
// Computes without end, in all that C++ makes of functions: recursion through std::function, virtual ones, templates of the
// library with functions of ours in them, exceptions.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Shape {
  virtual ~Shape() = default;
  virtual double area(int depth) const = 0;
};

struct Square final : Shape {
  explicit Square(double s) : side(s) {}
  double area(int depth) const override { return depth == 0 ? side * side : area(depth - 1) + side; }
  double side;
};

struct Pair final : Shape {
  Pair(std::unique_ptr<Shape> a, std::unique_ptr<Shape> b) : one(std::move(a)), other(std::move(b)) {}
  double area(int depth) const override { return one->area(depth) + other->area(depth); }
  std::unique_ptr<Shape> one, other;
};

std::unique_ptr<Shape> make(int depth) {
  if (depth == 0) return std::make_unique<Square>(depth + 1);
  return std::make_unique<Pair>(make(depth - 1), make(depth - 1));
}

int thrown(int depth) {
  if (depth == 0) throw std::runtime_error("at the bottom");
  return thrown(depth - 1) + 1;
}

std::size_t turn(unsigned seed) {
  std::vector<std::string> texts;
  for (unsigned n = 0; n < 200; n++) {
    std::ostringstream text;
    text << (seed = seed * 1103515245 + 12345) << ' ' << n;
    texts.push_back(text.str());
  }
  const std::function<bool(const std::string&, const std::string&)> shorter = [](const auto& a, const auto& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  };
  std::sort(texts.begin(), texts.end(), shorter);
  std::map<std::string, std::size_t> lengths;
  for (const std::string& text : texts) lengths[text.substr(0, 3)] += text.size();
  const std::function<std::size_t(int)> sum = [&](int depth) {
    return depth == 0 ? lengths.size() : sum(depth - 1) + 1;
  };
  return sum(10);
}

}  // namespace

int main() {
  volatile double kept = 0;
  for (unsigned n = 1;; n++) {
    kept = kept + static_cast<double>(turn(n)) + make(5)->area(3);
    try {
      kept = kept + thrown(12);
    } catch (const std::runtime_error& error) {
      kept = kept + static_cast<double>(std::string(error.what()).size());
    }
  }
}
