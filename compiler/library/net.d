/* SPDX-License-Identifier: GPL-3.0-or-later */
struct in_addr { uint32_t s_addr; };
struct in6_addr {
  union { uint8_t s6_addr[16]; union { uint8_t u6_addr8[16]; uint16_t u6_addr16[8]; uint32_t u6_addr32[4]; } in6_u; };
};
typedef struct in6_addr in6_addr_t;
