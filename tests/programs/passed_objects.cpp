// SPDX-License-Identifier: GPL-3.0-or-later
// C++: results and arguments that are passed by a hidden address, references, this, enum class, static and virtual methods
#include <cstdio>
#include <string>
#include <vector>

#define N __attribute__((noinline, noclone, noipa))

enum class Colour : unsigned char { red = 1, blue = 7 };
struct Big {
  long v[4];
};
struct Owner {
  int id = 17;
  N std::string name(int k) { return std::string(k, 'x'); }
  N Big big(int k) { return Big{{k, 2, 3, 4}}; }
  N int plain(int k) { return id + k; }
  N virtual int virt(int k) { return id * k; }
  N static int stat(int k) { return k + 1; }
  N int take(std::string s, int k) { return static_cast<int>(s.size()) + k; }
  N int ref(const std::string& s, int& k) { return static_cast<int>(s.size()) + k; }
  N int col(Colour c, bool b, int k) { return static_cast<int>(c) + b + k; }
  N std::vector<int> many(long a, int b) { return std::vector<int>(a, b); }
};
N std::string freefn(int k, int j) { return std::string(k, 'y') + std::to_string(j); }

int main() {
  Owner o;
  int k = 5;
  long s = o.name(3).size() + o.big(44).v[0] + o.plain(45) + o.virt(46) + Owner::stat(47) + o.take("abc", 48);
  s += o.ref("abcd", k) + o.col(Colour::blue, true, 49) + o.many(2, 50).size() + freefn(51, 52).size();
  std::printf("%ld\n", s);
}
