/* SPDX-License-Identifier: GPL-3.0-or-later */
__attribute__((visibility("default"), noinline)) int plugin(int n) {
  __asm__ volatile("");
  return n + 1;
}
