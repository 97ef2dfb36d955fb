// SPDX-License-Identifier: GPL-3.0-or-later
// The least that a program of the C++ library does: a measure for starts.
#include <iostream>

int main() { std::cout << "hello, world\n"; }
