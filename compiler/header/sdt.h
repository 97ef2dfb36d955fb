/* SPDX-License-Identifier: MIT */
/* Probes that a program brings along: a nop, and a note that names it and its arguments.
 *
 *   #include <sonde/sdt.h>
 *   DTRACE_PROBE2(myapp, request__start, id, path);                      myapp<pid>:::request-start
 *   if (DTRACE_PROBE_ENABLED(myapp, request__start)) ...                 whether somebody traces it
 *
 * The notes are those of systemtap's sys/sdt.h, whose macros are at the end. What `sonde -h` writes has a copy of what is
 * above them. With SONDE_NO_PROBES defined, and where there are no ELF files, a probe is nothing.
 *
 * An argument is copied once, and is described with the size and the sign of its own type. Floating-point values are
 * passed as their bits, a long double as a double. A struct or an array of an odd size, or of more than 8 bytes, is in
 * memory at the probe.
 */
#pragma once

#ifndef sonde_sdt_core
#define sonde_sdt_core 1

#if defined __ELF__ && defined __GNUC__ && !defined SONDE_NO_PROBES
#define sonde_sdt_here 1
#else
#define sonde_sdt_here 0
#endif

#if sonde_sdt_here

#if defined __LP64__ || defined _LP64
#define sonde_sdt_address ".8byte "
#else
#define sonde_sdt_address ".4byte "
#endif

/* The address in the note is that of the first nop. The second has room for a jump. */
#if defined __x86_64__ || defined __i386__
#define sonde_sdt_nops "990: nop\n.byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
#else
#define sonde_sdt_nops "990: nop\n"
#endif

/* Without `inline`, GCC takes each line for an instruction when it decides what to inline. */
#if defined __clang__ ? __clang_major__ >= 11 : __GNUC__ >= 9
#define sonde_sdt_asm __asm__ __inline__ __volatile__
#else
#define sonde_sdt_asm __asm__ __volatile__
#endif

#define sonde_sdt_hidden __attribute__((__visibility__("hidden")))

#ifndef SONDE_SDT_CONSTRAINT
#define SONDE_SDT_CONSTRAINT "nor"
#endif

/* A counter: how many trace its probe. Every object that needs it brings it along; the linker keeps one. */
#define sonde_sdt_counter(symbol)                                             \
  ".ifndef " symbol "\n"                                                      \
  ".pushsection .probes,\"awG\",\"progbits\"," symbol ",comdat\n"             \
  ".weak " symbol "\n.hidden " symbol "\n.balign 2\n"                         \
  ".type " symbol ", \"object\"\n.size " symbol ", 2\n" symbol ": .2byte 0\n" \
  ".popsection\n.endif\n"

#define sonde_sdt_note(provider, name, address, arguments)                                                         \
  sonde_sdt_nops ".pushsection .note.stapsdt,\"?\",\"note\"\n"                                                     \
                 ".balign 4\n.4byte 992f-991f, 994f-993f, 3\n"                                                     \
                 "991: .asciz \"stapsdt\"\n992: .balign 4\n"                                                       \
                 "993: " sonde_sdt_address "990b\n" sonde_sdt_address "_.stapsdt.base\n" sonde_sdt_address address \
                 "\n"                                                                                              \
                 ".asciz \"" provider "\"\n.asciz \"" name "\"\n" arguments ".byte 0\n"                            \
                 "994: .balign 4\n.popsection\n"                                                                   \
                 ".ifndef _.stapsdt.base\n"                                                                        \
                 ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"                           \
                 ".weak _.stapsdt.base\n.hidden _.stapsdt.base\n"                                                  \
                 "_.stapsdt.base: .space 1\n.size _.stapsdt.base, 1\n.popsection\n.endif\n"

/* SIZE@OPERAND, as in -4@%eax and 8f@$0. -104 and -108 are the sizes of floating-point values. */
#define sonde_sdt_text(n)                               \
  ".if %c[sonde_s" #n "] == -104\n.ascii \"4f@\"\n"     \
  ".elseif %c[sonde_s" #n "] == -108\n.ascii \"8f@\"\n" \
  ".else\n.ascii \"%c[sonde_s" #n "]@\"\n.endif\n"      \
  ".ascii \"%[sonde_a" #n "]\"\n"
#define sonde_sdt_blank ".ascii \" \"\n"

#ifdef __cplusplus

extern "C++" {
/* kind: 1 an integer or a pointer, 2 floating, 3 anything else */
template <typename T, bool is_enum>
struct sonde_sdt_of_enum {
  enum { kind = 3, is_signed = 0 };
};
template <typename T>
struct sonde_sdt_of_enum<T, true> {
  typedef __underlying_type(T) plain;
  enum { kind = 1, is_signed = static_cast<plain>(-1) < static_cast<plain>(1) };
};
template <typename T>
struct sonde_sdt_type : sonde_sdt_of_enum<T, __is_enum(T)> {};
template <typename T>
struct sonde_sdt_type<T*> {
  enum { kind = 1, is_signed = 0 };
};
#define sonde_sdt_type_is(type, its_kind, its_sign) \
  template <>                                       \
  struct sonde_sdt_type<type> {                     \
    enum { kind = its_kind, is_signed = its_sign }; \
  }
#define sonde_sdt_integer_is(type) sonde_sdt_type_is(type, 1, (static_cast<type>(-1) < static_cast<type>(1) ? 1 : 0))
sonde_sdt_integer_is(bool);
sonde_sdt_integer_is(char);
sonde_sdt_integer_is(signed char);
sonde_sdt_integer_is(unsigned char);
sonde_sdt_integer_is(wchar_t);
sonde_sdt_integer_is(short);
sonde_sdt_integer_is(unsigned short);
sonde_sdt_integer_is(int);
sonde_sdt_integer_is(unsigned int);
sonde_sdt_integer_is(long);
sonde_sdt_integer_is(unsigned long);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wlong-long"
typedef long long sonde_sdt_longest;
typedef unsigned long long sonde_sdt_unsigned_longest;
#pragma GCC diagnostic pop
sonde_sdt_integer_is(sonde_sdt_longest);
sonde_sdt_integer_is(sonde_sdt_unsigned_longest);
#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 sonde_sdt_widest;
__extension__ typedef unsigned __int128 sonde_sdt_unsigned_widest;
sonde_sdt_integer_is(sonde_sdt_widest);
sonde_sdt_integer_is(sonde_sdt_unsigned_widest);
#endif
#if __cplusplus >= 201103L
sonde_sdt_integer_is(char16_t);
sonde_sdt_integer_is(char32_t);
#endif
#ifdef __cpp_char8_t
sonde_sdt_integer_is(char8_t);
#endif
sonde_sdt_type_is(float, 2, 1);
sonde_sdt_type_is(double, 2, 1);
sonde_sdt_type_is(long double, 2, 1);
#undef sonde_sdt_integer_is
#undef sonde_sdt_type_is

/* What goes to the assembler for a T: itself, its bits, or memory that no register can hold. */
template <typename T>
struct sonde_sdt_itself {
  typedef T type;
  static inline __attribute__((__always_inline__)) type of(T value) { return value; }
};
template <typename T, typename Bits>
struct sonde_sdt_bits {
  typedef Bits type;
  static inline __attribute__((__always_inline__)) type of(const T& value) {
    Bits bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
  }
};
template <typename T, int kind, unsigned size>
struct sonde_sdt_form {
  struct type {
    T value;
    char room[32];
  };
  static inline __attribute__((__always_inline__)) type of(const T& value) {
    type all = {value, {0}};
    return all;
  }
};
template <typename T>
struct sonde_sdt_form<T, 1, 1> : sonde_sdt_itself<T> {};
template <typename T>
struct sonde_sdt_form<T, 1, 2> : sonde_sdt_itself<T> {};
template <typename T>
struct sonde_sdt_form<T, 1, 4> : sonde_sdt_itself<T> {};
template <typename T>
struct sonde_sdt_form<T, 1, 8> : sonde_sdt_itself<T> {};
template <typename T>
struct sonde_sdt_form<T, 2, 4> : sonde_sdt_bits<T, __UINT32_TYPE__> {};
template <typename T, unsigned size>
struct sonde_sdt_form<T, 2, size> : sonde_sdt_bits<double, __UINT64_TYPE__> {};
template <typename T>
struct sonde_sdt_form<T, 3, 1> : sonde_sdt_bits<T, __UINT8_TYPE__> {};
template <typename T>
struct sonde_sdt_form<T, 3, 2> : sonde_sdt_bits<T, __UINT16_TYPE__> {};
template <typename T>
struct sonde_sdt_form<T, 3, 4> : sonde_sdt_bits<T, __UINT32_TYPE__> {};
template <typename T>
struct sonde_sdt_form<T, 3, 8> : sonde_sdt_bits<T, __UINT64_TYPE__> {};

template <typename T>
struct sonde_sdt_argument {
  enum {
    kind = sonde_sdt_type<T>::kind,
    plain = static_cast<int>(sizeof(T)),
    size = static_cast<int>(kind) == 2    ? (static_cast<int>(plain) == 4 ? -104 : -108)
           : sonde_sdt_type<T>::is_signed ? -static_cast<int>(sizeof(T))
                                          : static_cast<int>(sizeof(T))
  };
  typedef sonde_sdt_form<T, kind, sizeof(T)> form;
};
/* A parameter that is a value takes an array as a pointer, and a bit-field as a value of its type. */
template <typename T>
sonde_sdt_argument<T> sonde_sdt_argument_of(T);
template <typename T>
static inline __attribute__((__always_inline__)) typename sonde_sdt_argument<T>::form::type sonde_sdt_value(T value) {
  return sonde_sdt_argument<T>::form::of(value);
}
}

#define sonde_sdt_take(n, x)                                       \
  typedef __typeof__(sonde_sdt_argument_of(x)) sonde_sdt_type_##n; \
  __typeof__(sonde_sdt_value(x)) sonde_sdt_##n = sonde_sdt_value(x);
#define sonde_sdt_input(n) \
  [sonde_s##n] "n"(static_cast<int>(sonde_sdt_type_##n::size)), [sonde_a##n] SONDE_SDT_CONSTRAINT(sonde_sdt_##n)

#else

#define sonde_sdt_is_real(v) (__builtin_classify_type(v) == 8)
#define sonde_sdt_is_integer(v) (__builtin_classify_type(v) >= 1 && __builtin_classify_type(v) <= 4)
#define sonde_sdt_is_scalar(v) ((sonde_sdt_is_integer(v) || __builtin_classify_type(v) == 5) && sizeof(v) <= 8)
#define sonde_sdt_integer(v) __typeof__(__builtin_choose_expr(sonde_sdt_is_integer(v), (v), 0U))
#define sonde_sdt_size(v)                                                                \
  (sonde_sdt_is_real(v)                                   ? sizeof(v) == 4 ? -104 : -108 \
   : (sonde_sdt_integer(v)) - 1 < (sonde_sdt_integer(v))1 ? -(int)sizeof(v)              \
                                                          : (int)sizeof(v))
#define sonde_sdt_bits(v, type, bits) \
  (((union {                          \
     type sonde_from;                 \
     bits sonde_to;                   \
   }){.sonde_from = (v)})             \
       .sonde_to)
#define sonde_sdt_float_bits(v) sonde_sdt_bits(v, __typeof__(v), __UINT32_TYPE__)
#define sonde_sdt_double_bits(v) \
  sonde_sdt_bits((double)__builtin_choose_expr(sonde_sdt_is_real(v), (v), 0.0), double, __UINT64_TYPE__)
#define sonde_sdt_own_bits(v, size, otherwise) \
  __builtin_choose_expr(sizeof(v) == (size) / 8, sonde_sdt_bits(v, __typeof__(v), __UINT##size##_TYPE__), otherwise)
#define sonde_sdt_memory(v)    \
  (((struct {                  \
    __typeof__(v) sonde_value; \
    char sonde_room[32];       \
  }){.sonde_value = (v)}))
#define sonde_sdt_of_struct(v) \
  sonde_sdt_own_bits(          \
      v, 8, sonde_sdt_own_bits(v, 16, sonde_sdt_own_bits(v, 32, sonde_sdt_own_bits(v, 64, sonde_sdt_memory(v)))))
#define sonde_sdt_of_real(v) __builtin_choose_expr(sizeof(v) == 4, sonde_sdt_float_bits(v), sonde_sdt_double_bits(v))
/* What goes to the assembler: the value itself, its bits, or memory that no register can hold. */
#define sonde_sdt_operand(v)                         \
  __builtin_choose_expr(sonde_sdt_is_scalar(v), (v), \
                        __builtin_choose_expr(sonde_sdt_is_real(v), sonde_sdt_of_real(v), sonde_sdt_of_struct(v)))

/* The value of a comma expression is of an array a pointer, and of a bit-field a value. */
#define sonde_sdt_take(n, x) __typeof__((void)0, (x)) sonde_sdt_##n = (x);
#define sonde_sdt_input(n) \
  [sonde_s##n] "n"(sonde_sdt_size(sonde_sdt_##n)), [sonde_a##n] SONDE_SDT_CONSTRAINT(sonde_sdt_operand(sonde_sdt_##n))

#endif

#define sonde_sdt_site(before, provider, name, address, takes, text, inputs) \
  (__extension__({ takes sonde_sdt_asm(before sonde_sdt_note(provider, name, address, text)::inputs); }))
/* Whether the counter is not 0. `symbol` is its name, `counter` it. */
#define sonde_sdt_enabled(symbol, counter)      \
  (__extension__({                              \
    sonde_sdt_asm(sonde_sdt_counter(symbol)::); \
    __builtin_expect((counter) != 0, 0);        \
  }))
#define sonde_sdt_site0(before, p, n, s) (__extension__({ sonde_sdt_asm(before sonde_sdt_note(p, n, s, "")::); }))
#define sonde_sdt_takes1(a1) sonde_sdt_take(1, a1)
#define sonde_sdt_texts1 sonde_sdt_text(1)
#define sonde_sdt_inputs1 sonde_sdt_input(1)
#define sonde_sdt_site1(before, p, n, s, a1) \
  sonde_sdt_site(before, p, n, s, sonde_sdt_takes1(a1), sonde_sdt_texts1, sonde_sdt_inputs1)
#define sonde_sdt_takes2(a1, a2) sonde_sdt_takes1(a1) sonde_sdt_take(2, a2)
#define sonde_sdt_texts2 sonde_sdt_texts1 sonde_sdt_blank sonde_sdt_text(2)
#define sonde_sdt_inputs2 sonde_sdt_inputs1, sonde_sdt_input(2)
#define sonde_sdt_site2(before, p, n, s, a1, a2) \
  sonde_sdt_site(before, p, n, s, sonde_sdt_takes2(a1, a2), sonde_sdt_texts2, sonde_sdt_inputs2)
#define sonde_sdt_takes3(a1, a2, a3) sonde_sdt_takes2(a1, a2) sonde_sdt_take(3, a3)
#define sonde_sdt_texts3 sonde_sdt_texts2 sonde_sdt_blank sonde_sdt_text(3)
#define sonde_sdt_inputs3 sonde_sdt_inputs2, sonde_sdt_input(3)
#define sonde_sdt_site3(before, p, n, s, a1, a2, a3) \
  sonde_sdt_site(before, p, n, s, sonde_sdt_takes3(a1, a2, a3), sonde_sdt_texts3, sonde_sdt_inputs3)
#define sonde_sdt_takes4(a1, a2, a3, a4) sonde_sdt_takes3(a1, a2, a3) sonde_sdt_take(4, a4)
#define sonde_sdt_texts4 sonde_sdt_texts3 sonde_sdt_blank sonde_sdt_text(4)
#define sonde_sdt_inputs4 sonde_sdt_inputs3, sonde_sdt_input(4)
#define sonde_sdt_site4(before, p, n, s, a1, a2, a3, a4) \
  sonde_sdt_site(before, p, n, s, sonde_sdt_takes4(a1, a2, a3, a4), sonde_sdt_texts4, sonde_sdt_inputs4)
#define sonde_sdt_takes5(a1, a2, a3, a4, a5) sonde_sdt_takes4(a1, a2, a3, a4) sonde_sdt_take(5, a5)
#define sonde_sdt_texts5 sonde_sdt_texts4 sonde_sdt_blank sonde_sdt_text(5)
#define sonde_sdt_inputs5 sonde_sdt_inputs4, sonde_sdt_input(5)
#define sonde_sdt_site5(before, p, n, s, a1, a2, a3, a4, a5) \
  sonde_sdt_site(before, p, n, s, sonde_sdt_takes5(a1, a2, a3, a4, a5), sonde_sdt_texts5, sonde_sdt_inputs5)
#define sonde_sdt_takes6(a1, a2, a3, a4, a5, a6) sonde_sdt_takes5(a1, a2, a3, a4, a5) sonde_sdt_take(6, a6)
#define sonde_sdt_texts6 sonde_sdt_texts5 sonde_sdt_blank sonde_sdt_text(6)
#define sonde_sdt_inputs6 sonde_sdt_inputs5, sonde_sdt_input(6)
#define sonde_sdt_site6(before, p, n, s, a1, a2, a3, a4, a5, a6) \
  sonde_sdt_site(before, p, n, s, sonde_sdt_takes6(a1, a2, a3, a4, a5, a6), sonde_sdt_texts6, sonde_sdt_inputs6)
#define sonde_sdt_takes7(a1, a2, a3, a4, a5, a6, a7) sonde_sdt_takes6(a1, a2, a3, a4, a5, a6) sonde_sdt_take(7, a7)
#define sonde_sdt_texts7 sonde_sdt_texts6 sonde_sdt_blank sonde_sdt_text(7)
#define sonde_sdt_inputs7 sonde_sdt_inputs6, sonde_sdt_input(7)
#define sonde_sdt_site7(before, p, n, s, a1, a2, a3, a4, a5, a6, a7) \
  sonde_sdt_site(before, p, n, s, sonde_sdt_takes7(a1, a2, a3, a4, a5, a6, a7), sonde_sdt_texts7, sonde_sdt_inputs7)
#define sonde_sdt_takes8(a1, a2, a3, a4, a5, a6, a7, a8) \
  sonde_sdt_takes7(a1, a2, a3, a4, a5, a6, a7) sonde_sdt_take(8, a8)
#define sonde_sdt_texts8 sonde_sdt_texts7 sonde_sdt_blank sonde_sdt_text(8)
#define sonde_sdt_inputs8 sonde_sdt_inputs7, sonde_sdt_input(8)
#define sonde_sdt_site8(before, p, n, s, a1, a2, a3, a4, a5, a6, a7, a8) \
  sonde_sdt_site(before, p, n, s, sonde_sdt_takes8(a1, a2, a3, a4, a5, a6, a7, a8), sonde_sdt_texts8, sonde_sdt_inputs8)
#define sonde_sdt_takes9(a1, a2, a3, a4, a5, a6, a7, a8, a9) \
  sonde_sdt_takes8(a1, a2, a3, a4, a5, a6, a7, a8) sonde_sdt_take(9, a9)
#define sonde_sdt_texts9 sonde_sdt_texts8 sonde_sdt_blank sonde_sdt_text(9)
#define sonde_sdt_inputs9 sonde_sdt_inputs8, sonde_sdt_input(9)
#define sonde_sdt_site9(before, p, n, s, a1, a2, a3, a4, a5, a6, a7, a8, a9)                              \
  sonde_sdt_site(before, p, n, s, sonde_sdt_takes9(a1, a2, a3, a4, a5, a6, a7, a8, a9), sonde_sdt_texts9, \
                 sonde_sdt_inputs9)
#define sonde_sdt_takes10(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10) \
  sonde_sdt_takes9(a1, a2, a3, a4, a5, a6, a7, a8, a9) sonde_sdt_take(10, a10)
#define sonde_sdt_texts10 sonde_sdt_texts9 sonde_sdt_blank sonde_sdt_text(10)
#define sonde_sdt_inputs10 sonde_sdt_inputs9, sonde_sdt_input(10)
#define sonde_sdt_site10(before, p, n, s, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10)                               \
  sonde_sdt_site(before, p, n, s, sonde_sdt_takes10(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10), sonde_sdt_texts10, \
                 sonde_sdt_inputs10)
#define sonde_sdt_takes11(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) \
  sonde_sdt_takes10(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10) sonde_sdt_take(11, a11)
#define sonde_sdt_texts11 sonde_sdt_texts10 sonde_sdt_blank sonde_sdt_text(11)
#define sonde_sdt_inputs11 sonde_sdt_inputs10, sonde_sdt_input(11)
#define sonde_sdt_site11(before, p, n, s, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11)                               \
  sonde_sdt_site(before, p, n, s, sonde_sdt_takes11(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11), sonde_sdt_texts11, \
                 sonde_sdt_inputs11)
#define sonde_sdt_takes12(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12) \
  sonde_sdt_takes11(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) sonde_sdt_take(12, a12)
#define sonde_sdt_texts12 sonde_sdt_texts11 sonde_sdt_blank sonde_sdt_text(12)
#define sonde_sdt_inputs12 sonde_sdt_inputs11, sonde_sdt_input(12)
#define sonde_sdt_site12(before, p, n, s, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12)            \
  sonde_sdt_site(before, p, n, s, sonde_sdt_takes12(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12), \
                 sonde_sdt_texts12, sonde_sdt_inputs12)

#else

/* The arguments are type-checked, and not evaluated. */
#define sonde_sdt_site0(before, p, n, s) ((void)0)
#define sonde_sdt_site1(before, p, n, s, a1) ((void)(0 ? ((void)(a1)) : (void)0))
#define sonde_sdt_site2(before, p, n, s, a1, a2) ((void)(0 ? ((void)(a1), (void)(a2)) : (void)0))
#define sonde_sdt_site3(before, p, n, s, a1, a2, a3) ((void)(0 ? ((void)(a1), (void)(a2), (void)(a3)) : (void)0))
#define sonde_sdt_site4(before, p, n, s, a1, a2, a3, a4) \
  ((void)(0 ? ((void)(a1), (void)(a2), (void)(a3), (void)(a4)) : (void)0))
#define sonde_sdt_site5(before, p, n, s, a1, a2, a3, a4, a5) \
  ((void)(0 ? ((void)(a1), (void)(a2), (void)(a3), (void)(a4), (void)(a5)) : (void)0))
#define sonde_sdt_site6(before, p, n, s, a1, a2, a3, a4, a5, a6) \
  ((void)(0 ? ((void)(a1), (void)(a2), (void)(a3), (void)(a4), (void)(a5), (void)(a6)) : (void)0))
#define sonde_sdt_site7(before, p, n, s, a1, a2, a3, a4, a5, a6, a7) \
  ((void)(0 ? ((void)(a1), (void)(a2), (void)(a3), (void)(a4), (void)(a5), (void)(a6), (void)(a7)) : (void)0))
#define sonde_sdt_site8(before, p, n, s, a1, a2, a3, a4, a5, a6, a7, a8)                                       \
  ((void)(0 ? ((void)(a1), (void)(a2), (void)(a3), (void)(a4), (void)(a5), (void)(a6), (void)(a7), (void)(a8)) \
            : (void)0))
#define sonde_sdt_site9(before, p, n, s, a1, a2, a3, a4, a5, a6, a7, a8, a9)                                   \
  ((void)(0 ? ((void)(a1), (void)(a2), (void)(a3), (void)(a4), (void)(a5), (void)(a6), (void)(a7), (void)(a8), \
               (void)(a9))                                                                                     \
            : (void)0))
#define sonde_sdt_site10(before, p, n, s, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10)                             \
  ((void)(0 ? ((void)(a1), (void)(a2), (void)(a3), (void)(a4), (void)(a5), (void)(a6), (void)(a7), (void)(a8), \
               (void)(a9), (void)(a10))                                                                        \
            : (void)0))
#define sonde_sdt_site11(before, p, n, s, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11)                        \
  ((void)(0 ? ((void)(a1), (void)(a2), (void)(a3), (void)(a4), (void)(a5), (void)(a6), (void)(a7), (void)(a8), \
               (void)(a9), (void)(a10), (void)(a11))                                                           \
            : (void)0))
#define sonde_sdt_site12(before, p, n, s, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12)                   \
  ((void)(0 ? ((void)(a1), (void)(a2), (void)(a3), (void)(a4), (void)(a5), (void)(a6), (void)(a7), (void)(a8), \
               (void)(a9), (void)(a10), (void)(a11), (void)(a12))                                              \
            : (void)0))
#define sonde_sdt_enabled(symbol, counter) 0
#define sonde_sdt_counter(symbol)

#endif

/* A probe with a counter. p, n, s: texts of provider, name and symbol of the counter. */
#define sonde_sdt_probe0(p, n, s) sonde_sdt_site0(sonde_sdt_counter(s), p, n, s)
#define sonde_sdt_probe1(p, n, s, a1) sonde_sdt_site1(sonde_sdt_counter(s), p, n, s, a1)
#define sonde_sdt_probe2(p, n, s, a1, a2) sonde_sdt_site2(sonde_sdt_counter(s), p, n, s, a1, a2)
#define sonde_sdt_probe3(p, n, s, a1, a2, a3) sonde_sdt_site3(sonde_sdt_counter(s), p, n, s, a1, a2, a3)
#define sonde_sdt_probe4(p, n, s, a1, a2, a3, a4) sonde_sdt_site4(sonde_sdt_counter(s), p, n, s, a1, a2, a3, a4)
#define sonde_sdt_probe5(p, n, s, a1, a2, a3, a4, a5) sonde_sdt_site5(sonde_sdt_counter(s), p, n, s, a1, a2, a3, a4, a5)
#define sonde_sdt_probe6(p, n, s, a1, a2, a3, a4, a5, a6) \
  sonde_sdt_site6(sonde_sdt_counter(s), p, n, s, a1, a2, a3, a4, a5, a6)
#define sonde_sdt_probe7(p, n, s, a1, a2, a3, a4, a5, a6, a7) \
  sonde_sdt_site7(sonde_sdt_counter(s), p, n, s, a1, a2, a3, a4, a5, a6, a7)
#define sonde_sdt_probe8(p, n, s, a1, a2, a3, a4, a5, a6, a7, a8) \
  sonde_sdt_site8(sonde_sdt_counter(s), p, n, s, a1, a2, a3, a4, a5, a6, a7, a8)
#define sonde_sdt_probe9(p, n, s, a1, a2, a3, a4, a5, a6, a7, a8, a9) \
  sonde_sdt_site9(sonde_sdt_counter(s), p, n, s, a1, a2, a3, a4, a5, a6, a7, a8, a9)
#define sonde_sdt_probe10(p, n, s, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10) \
  sonde_sdt_site10(sonde_sdt_counter(s), p, n, s, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10)
#define sonde_sdt_probe11(p, n, s, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) \
  sonde_sdt_site11(sonde_sdt_counter(s), p, n, s, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11)
#define sonde_sdt_probe12(p, n, s, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12) \
  sonde_sdt_site12(sonde_sdt_counter(s), p, n, s, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12)

#endif /* sonde_sdt_core */

/* Those of systemtap's sys/sdt.h. Provider and probe are names, not texts. Each probe has a counter, unless the program
 * defines _SDT_HAS_SEMAPHORES and the counters, which sys/sdt.h leaves to it.
 */
#if !defined sonde_sdt_macros && !defined _SYS_SDT_H
#define sonde_sdt_macros 1
#define _SYS_SDT_H 1

#define sonde_sdt_string_of(x) #x
#define sonde_sdt_string(x) sonde_sdt_string_of(x)
#ifdef _SDT_HAS_SEMAPHORES
#define sonde_sdt_define(p, n) ""
#else
#define sonde_sdt_define(p, n) sonde_sdt_counter(sonde_sdt_symbol(p, n))
#endif
#define sonde_sdt_symbol(p, n) sonde_sdt_string(p) "_" sonde_sdt_string(n) "_semaphore"

#define STAP_PROBE(p, n) \
  sonde_sdt_site0(sonde_sdt_define(p, n), sonde_sdt_string(p), sonde_sdt_string(n), sonde_sdt_symbol(p, n))
#define STAP_PROBE1(p, n, a1) \
  sonde_sdt_site1(sonde_sdt_define(p, n), sonde_sdt_string(p), sonde_sdt_string(n), sonde_sdt_symbol(p, n), a1)
#define STAP_PROBE2(p, n, a1, a2) \
  sonde_sdt_site2(sonde_sdt_define(p, n), sonde_sdt_string(p), sonde_sdt_string(n), sonde_sdt_symbol(p, n), a1, a2)
#define STAP_PROBE3(p, n, a1, a2, a3) \
  sonde_sdt_site3(sonde_sdt_define(p, n), sonde_sdt_string(p), sonde_sdt_string(n), sonde_sdt_symbol(p, n), a1, a2, a3)
#define STAP_PROBE4(p, n, a1, a2, a3, a4)                                                                           \
  sonde_sdt_site4(sonde_sdt_define(p, n), sonde_sdt_string(p), sonde_sdt_string(n), sonde_sdt_symbol(p, n), a1, a2, \
                  a3, a4)
#define STAP_PROBE5(p, n, a1, a2, a3, a4, a5)                                                                       \
  sonde_sdt_site5(sonde_sdt_define(p, n), sonde_sdt_string(p), sonde_sdt_string(n), sonde_sdt_symbol(p, n), a1, a2, \
                  a3, a4, a5)
#define STAP_PROBE6(p, n, a1, a2, a3, a4, a5, a6)                                                                   \
  sonde_sdt_site6(sonde_sdt_define(p, n), sonde_sdt_string(p), sonde_sdt_string(n), sonde_sdt_symbol(p, n), a1, a2, \
                  a3, a4, a5, a6)
#define STAP_PROBE7(p, n, a1, a2, a3, a4, a5, a6, a7)                                                               \
  sonde_sdt_site7(sonde_sdt_define(p, n), sonde_sdt_string(p), sonde_sdt_string(n), sonde_sdt_symbol(p, n), a1, a2, \
                  a3, a4, a5, a6, a7)
#define STAP_PROBE8(p, n, a1, a2, a3, a4, a5, a6, a7, a8)                                                           \
  sonde_sdt_site8(sonde_sdt_define(p, n), sonde_sdt_string(p), sonde_sdt_string(n), sonde_sdt_symbol(p, n), a1, a2, \
                  a3, a4, a5, a6, a7, a8)
#define STAP_PROBE9(p, n, a1, a2, a3, a4, a5, a6, a7, a8, a9)                                                       \
  sonde_sdt_site9(sonde_sdt_define(p, n), sonde_sdt_string(p), sonde_sdt_string(n), sonde_sdt_symbol(p, n), a1, a2, \
                  a3, a4, a5, a6, a7, a8, a9)
#define STAP_PROBE10(p, n, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10)                                                  \
  sonde_sdt_site10(sonde_sdt_define(p, n), sonde_sdt_string(p), sonde_sdt_string(n), sonde_sdt_symbol(p, n), a1, a2, \
                   a3, a4, a5, a6, a7, a8, a9, a10)
#define STAP_PROBE11(p, n, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11)                                             \
  sonde_sdt_site11(sonde_sdt_define(p, n), sonde_sdt_string(p), sonde_sdt_string(n), sonde_sdt_symbol(p, n), a1, a2, \
                   a3, a4, a5, a6, a7, a8, a9, a10, a11)
#define STAP_PROBE12(p, n, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12)                                        \
  sonde_sdt_site12(sonde_sdt_define(p, n), sonde_sdt_string(p), sonde_sdt_string(n), sonde_sdt_symbol(p, n), a1, a2, \
                   a3, a4, a5, a6, a7, a8, a9, a10, a11, a12)

#define DTRACE_PROBE(p, n) STAP_PROBE(p, n)
#define DTRACE_PROBE1(p, n, a1) STAP_PROBE1(p, n, a1)
#define DTRACE_PROBE2(p, n, a1, a2) STAP_PROBE2(p, n, a1, a2)
#define DTRACE_PROBE3(p, n, a1, a2, a3) STAP_PROBE3(p, n, a1, a2, a3)
#define DTRACE_PROBE4(p, n, a1, a2, a3, a4) STAP_PROBE4(p, n, a1, a2, a3, a4)
#define DTRACE_PROBE5(p, n, a1, a2, a3, a4, a5) STAP_PROBE5(p, n, a1, a2, a3, a4, a5)
#define DTRACE_PROBE6(p, n, a1, a2, a3, a4, a5, a6) STAP_PROBE6(p, n, a1, a2, a3, a4, a5, a6)
#define DTRACE_PROBE7(p, n, a1, a2, a3, a4, a5, a6, a7) STAP_PROBE7(p, n, a1, a2, a3, a4, a5, a6, a7)
#define DTRACE_PROBE8(p, n, a1, a2, a3, a4, a5, a6, a7, a8) STAP_PROBE8(p, n, a1, a2, a3, a4, a5, a6, a7, a8)
#define DTRACE_PROBE9(p, n, a1, a2, a3, a4, a5, a6, a7, a8, a9) STAP_PROBE9(p, n, a1, a2, a3, a4, a5, a6, a7, a8, a9)
#define DTRACE_PROBE10(p, n, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10) \
  STAP_PROBE10(p, n, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10)
#define DTRACE_PROBE11(p, n, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) \
  STAP_PROBE11(p, n, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11)
#define DTRACE_PROBE12(p, n, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12) \
  STAP_PROBE12(p, n, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12)

/* Not in sys/sdt.h: whether somebody traces the probe. A function of C++ cannot declare the counter: it may be in a
 * namespace without a name.
 */
#if sonde_sdt_here && defined __cplusplus && defined __x86_64__
#define DTRACE_PROBE_ENABLED(p, n)                                                                              \
  (__extension__({                                                                                              \
    unsigned short sonde_sdt_now;                                                                               \
    sonde_sdt_asm(sonde_sdt_define(p, n) "movw " sonde_sdt_symbol(p, n) "(%%rip), %0\n" : "=r"(sonde_sdt_now)); \
    __builtin_expect(sonde_sdt_now != 0, 0);                                                                    \
  }))
#elif sonde_sdt_here
#define DTRACE_PROBE_ENABLED(p, n)                                                                               \
  (__extension__({                                                                                               \
    extern volatile unsigned short sonde_sdt_counter_##p##_##n __asm__(sonde_sdt_symbol(p, n)) sonde_sdt_hidden; \
    sonde_sdt_asm(sonde_sdt_define(p, n)::);                                                                     \
    __builtin_expect(sonde_sdt_counter_##p##_##n != 0, 0);                                                       \
  }))
#else
#define DTRACE_PROBE_ENABLED(p, n) 0
#endif
#define STAP_PROBE_ENABLED(p, n) DTRACE_PROBE_ENABLED(p, n)

/* The number of arguments is counted. */
#if (defined __STDC_VERSION__ && __STDC_VERSION__ >= 199901L) || (defined __cplusplus && __cplusplus >= 201103L)
#define sonde_sdt_number_of(a, b, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11, n12, number, ...) number
#define sonde_sdt_number(...)                                                                                         \
  sonde_sdt_number_of(__VA_ARGS__, PROBE12, PROBE11, PROBE10, PROBE9, PROBE8, PROBE7, PROBE6, PROBE5, PROBE4, PROBE3, \
                      PROBE2, PROBE1, PROBE, , )
#define sonde_sdt_join_of(a, b) a##b
#define sonde_sdt_join(a, b) sonde_sdt_join_of(a, b)
#define STAP_PROBEV(...) sonde_sdt_join(STAP_, sonde_sdt_number(__VA_ARGS__))(__VA_ARGS__)
#define DTRACE_PROBEV(...) STAP_PROBEV(__VA_ARGS__)
#endif

#endif
