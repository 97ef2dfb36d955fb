// SPDX-License-Identifier: GPL-3.0-or-later
// C++: `this`, strings and a class by value, a string by reference, a virtual method, a result by a hidden address
#include <cstdio>
#include <string>

#define N __attribute__((noinline, noclone, noipa))

struct Base {
  int id = 17;
  virtual ~Base() = default;
  N virtual long act(int k) { return id * k; }
};
struct Held {
  long a;
  short b;
  Held(long to, short and_to) : a(to), b(and_to) {}
  N Held(const Held& other) : a(other.a), b(other.b) {}  // so its address is passed
};
struct Owner : Base {
  std::string name = "an owner whose name is long";
  N int take(std::string s, int k) { return static_cast<int>(s.size()) + k + id; }
  N int look(const std::string& s, short k) { return static_cast<int>(s.size()) + k + id; }
  N long hold(Held h, int k) { return h.a + h.b + k; }
  N long act(int k) override { return id + k; }
  N std::string call(int k) { return name + std::to_string(k); }
};

int main() {
  Owner o;
  Base* base = &o;
  long s = o.take("short", 41) + o.look("by reference, and too long for its own room", -42) +
           o.hold(Held(-5000000000, -6), 45) + base->act(43);
  std::printf("%ld %zu\n", s, o.call(44).size());
}
