// SPDX-License-Identifier: GPL-3.0-or-later
// Fires every probe of own_probes.d. C99 and C++98; compiled twice, -DMORE is the second half.
//
// Prints the probes whose counters are up, then those that it has passed. With an argument it waits for a line first.
#include <stdint.h>
#include <stdio.h>

#include "own_probes.h"

#ifdef __cplusplus
#define IN_BOTH inline
#else
#include <stdbool.h>
#define IN_BOTH static inline
#endif

struct pair {
  int first;
  unsigned long second;
};
struct odd {
  char text[3];
};
struct four {
  int16_t a, b;
};
struct fields {
  unsigned low : 3;
  int high : 5;
};
typedef enum { RED, GREEN = 7 } colour_t;

#ifdef __cplusplus
extern "C" {
#endif
int fire_more(int n);
#ifdef __cplusplus
}
#endif

/* In C++ it is in both objects, and the linker keeps one. */
IN_BOTH int in_line(int n) {
  SHOP_IN_LINE(n);
  return n;
}

#ifdef MORE

int fire_more(int n) {
  struct pair pair;
  struct odd odd = {{1, 2, 3}};
  struct four four;
  struct fields fields;
  long double wide = 0.5L;
  __extension__ __int128 widest = n;
  pair.first = n;
  pair.second = 5;
  four.a = (int16_t)n;
  four.b = 4;
  fields.low = 5;
  fields.high = -3;
  SHOP_CONSTANTS(-5, 1UL << 40, 2.25, 1.5f, "constant");
  SHOP_STRUCTS(pair, odd, four);
  SHOP_WIDE(wide, widest);
  SHOP_BITS(fields.low, fields.high);
  SHOP_COUNTED(n++);
  SHOP_MOST(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, n);
  SHOP_CLOSED();
  return in_line(n);
}

#else

static void say_what_is_on(void) {
  printf("%d%d%d%d\n", SHOP_OPEN_ENABLED() ? 1 : 0, SHOP_TEXTS_ENABLED() ? 1 : 0, SHOP_FLOATS_ENABLED() ? 1 : 0,
         SHOP_MOST_ENABLED() ? 1 : 0);
  fflush(stdout);
}

int main(int argc, char** argv) {
  int8_t i8 = (int8_t)-argc;
  int16_t i16 = -300;
  uint8_t u8 = (uint8_t)(199 + argc);
  uint16_t u16 = 60000;
  int32_t i32 = -argc;
  int64_t i64 = -5000000000;
  uint32_t u32 = 4000000000U;
  uint64_t u64 = 0xfedcba9876543210;
  int* where[2] = {0, 0};
  float single = (float)argc;
  double twice = argc * 2.5;
  bool flag = argc > 1;
  colour_t colour = GREEN;
  char text[8] = "text";
  where[0] = &argc;
  if (argc > 1) {
    puts("ready");
    fflush(stdout);
    if (getchar() == EOF) return 3;
  }
  say_what_is_on();
  if (SHOP_OPEN_ENABLED())
    SHOP_OPEN();
  else
    SHOP_OPEN();
  SHOP_SMALL_SIGNED(i8, i16);
  SHOP_SMALL_UNSIGNED(u8, u16);
  SHOP_WIDE_SIGNED(i32, i64);
  SHOP_WIDE_UNSIGNED(u32, u64);
  SHOP_TEXTS(text, "literal");
  SHOP_ADDRESSES(&argc, where, argv);
  SHOP_FLOATS(single, twice);
  SHOP_FLAGS(flag, colour, argc == 5 ? true : false);
  in_line(argc);
  return fire_more(argc) - argc - 1;
}

#endif
