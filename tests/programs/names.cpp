// SPDX-License-Identifier: GPL-3.0-or-later
// Functions whose names in the source differ from the linker's; each is called as often as its comment says.
#include <unistd.h>

#include <string>
#include <vector>

#define FUNCTION __attribute__((noinline, noclone))

namespace {
FUNCTION int hidden(int x) { return x + getpid(); }  // 2
}  // namespace

namespace app {

FUNCTION int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }  // 15

template <typename T>
FUNCTION T twice(T x) {  // <int> 3, <double> 1
  asm volatile("");
  return x + x;
}

template <typename T>
FUNCTION int (*pick(T x))(int) {  // 1
  return x == 0 ? nullptr : hidden;
}

struct Number {
  int value;
  FUNCTION explicit Number(int x) : value(x) { asm volatile(""); }                              // 4
  FUNCTION int get() const& { return value + getpid(); }                                        // 1
  FUNCTION bool operator<(const Number& other) const { return value < other.value; }            // 1
  FUNCTION Number operator+(const Number& other) const { return Number(value + other.value); }  // 2
  FUNCTION int operator()(int x) const { return x + value; }                                    // 1
  FUNCTION int operator[](int x) const { return x - value; }                                    // 1
  FUNCTION explicit operator bool() const {
    asm volatile("");
    return value != 0;
  }                                         // 1
  FUNCTION ~Number() { asm volatile(""); }  // 4
};

FUNCTION std::string greet(const std::string& whom) { return "hello, " + whom; }  // 1

}  // namespace app

int main() {
  volatile int sum = app::fib(6) - 8;
  // fib(6) makes 25 calls of 15 different shapes; only the counts per name matter.
  for (int i = 0; i < 3; i++) sum += app::twice(i);
  sum += static_cast<int>(app::twice(0.5)) + app::pick(1)(2) + hidden(1);
  const app::Number one(1), two(2);
  sum += one.get() + (one < two) + one(1) + one[1] + (one ? 1 : 0) + (one + two + two).value;
  std::vector<int> all;
  for (int i = 0; i < 5; i++) all.push_back(i);
  return app::greet("you").size() > all.size() ? 0 : sum;
}
