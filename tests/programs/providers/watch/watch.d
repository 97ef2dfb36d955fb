/* SPDX-License-Identifier: GPL-3.0-or-later */
/* args[0] of watch:::. struct __watch stands for the raw arguments. */
struct __watch;
typedef struct watchinfo { uint64_t w_number; } watchinfo_t;
translator watchinfo_t < struct __watch *W > { w_number = arg0; };
