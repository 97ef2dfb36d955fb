#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * argdist: shows which values functions of a pattern are called with, or give
 *
 * At the end, for each function: how many values are in each power of two; or, with --values or --text, a row for each value,
 * the most frequent last. Arguments are taken from registers: --type says how much of one counts, and whether it has a sign.
 *
 * A function that ends by a jump to another one has no result yet: with PROGRAM and -p, such ends are counted apart; for the
 * whole machine, what the register holds then counts as the result.
 *
 * word PATTERN: the functions, as malloc or 'str*'
 * option arg=COUNT 1: which argument, 1 to 6; 0 is the result
 * option type=TYPE long: what it is: long, int, uint (32 bits without sign), short, char or bool
 * option values: each value by itself, instead of a distribution
 * option text: the argument is the address of a text; each text by itself
 * option module=NAME: only functions of this library or program, as libc.so.6; a.out is the program itself
 * option name=NAME: only calls of programs with this name
 * option top=COUNT 40: of --values and --text only so many rows, the most frequent
 * example: sonde argdist malloc ls /usr/bin
 *     how many bytes ls asks for
 */
#pragma D option quiet
#pragma D option strsize=1k

inline int64_t passed = $arg == 1 ? arg0 : $arg == 2 ? arg1 : $arg == 3 ? arg2 : $arg == 4 ? arg3 : $arg == 5 ? arg4 : arg5;
inline int64_t argument = $$type == "int" ? (int32_t)passed : $$type == "uint" ? (uint32_t)passed :
    $$type == "short" ? (int16_t)passed : $$type == "char" ? (int8_t)passed : $$type == "bool" ? (uint8_t)passed : passed;
inline int64_t result = $$type == "int" ? (int32_t)arg1 : $$type == "uint" ? (uint32_t)arg1 :
    $$type == "short" ? (int16_t)arg1 : $$type == "char" ? (int8_t)arg1 : $$type == "bool" ? (uint8_t)arg1 : arg1;
/* Whether the instruction is a return, or a breakpoint that the kernel has put in its place. */
inline uint8_t code = *(uint8_t *)copyin(uregs[R_PC], 1);
inline int returns = code == 0xc3 || code == 0xc2 || code == 0xf3 || code == 0xf2 || code == 0xcc;
inline int is_meant = $$name == "" || execname == $$name;

BEGIN
/$arg > 6/
{
	printf("--arg=%d: it is 1 to 6, or 0 for the result\n", $arg);
	exit(1);
}

BEGIN
/$$type != "long" && $$type != "int" && $$type != "uint" && $$type != "short" && $$type != "char" && $$type != "bool"/
{
	printf("--type=%s: it is long, int, uint, short, char or bool\n", $$type);
	exit(1);
}

pid*:$module:$1:entry
/$arg > 0 && is_meant && !$values && !$text/
{
	@distribution[probefunc] = quantize(argument);
}

pid*:$module:$1:entry
/$arg > 0 && is_meant && $values && !$text/
{
	@each[probefunc, argument] = count();
}

pid*:$module:$1:entry
/$arg > 0 && is_meant && $text && passed != 0/
{
	@texts[probefunc, copyinstr(passed)] = count();
}

pid*:$module:$1:return
/$arg == 0 && is_meant && returns && !$values && !$text/
{
	@distribution[probefunc] = quantize(result);
}

pid*:$module:$1:return
/$arg == 0 && is_meant && returns && $values && !$text/
{
	@each[probefunc, result] = count();
}

pid*:$module:$1:return
/$arg == 0 && is_meant && returns && $text && arg1 != 0/
{
	@texts[probefunc, copyinstr(arg1)] = count();
}

pid*:$module:$1:return
/$arg == 0 && is_meant && !returns/
{
	@jumps[probefunc] = count();
}

END
{
	trunc(@each, $top);
	trunc(@texts, $top);
	printa("%s\n%@d\n", @distribution);
}

END
/$values && !$text/
{
	printf("%12s  %-30s %s\n", "CALLS", "FUNCTION", "VALUE");
	printa("%@12d  %-30s %d\n", @each);
}

END
/$text/
{
	printf("%12s  %-30s %s\n", "CALLS", "FUNCTION", "TEXT");
	printa("%@12d  %-30s %s\n", @texts);
}

END
{
	printa("%s: %@d calls went on in another function, without a result\n", @jumps);
}
