#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * functrace: shows each call of the functions of a pattern, with arguments and result
 *
 * A line for each call and one for its end, indented by how deep the call is within others of the pattern: milliseconds since
 * tracing began, the thread, and the function. A call shows its first arguments as numbers in hexadecimal; its end shows the
 * register of results, and how many microseconds the call took. Of a result of type int, only the last 8 digits count; a
 * function without a result leaves anything there.
 *
 * A function may end by a jump to another one. Then its end is there when it jumps, and the result has not come yet: the line
 * says so with PROGRAM and -p; for the whole machine it shows what the register holds then. A call that is left by an
 * exception or longjmp() has no end.
 *
 * word PATTERN: the functions, as malloc or 'str*'
 * option module=NAME: only functions of this library or program, as libc.so.6; a.out is the program itself
 * option name=NAME: only calls of programs with this name
 * option args=COUNT 3: how many arguments, up to 6
 * option text=COUNT: this argument is a text, 1 for the first; it is shown behind the call
 * example: sonde functrace 'fopen*' --args=2 --text=1 getent passwd root
 *     the files that getent opens by fopen(), by their names
 */
#pragma D option quiet
#pragma D option strsize=4k

self int depth;

inline int64_t text = $text == 1 ? arg0 : $text == 2 ? arg1 : $text == 3 ? arg2 : $text == 4 ? arg3 : $text == 5 ? arg4 :
    $text == 6 ? arg5 : 0;

/* Whether the instruction is a return, or a breakpoint that the kernel has put in its place. */
inline uint8_t code = *(uint8_t *)copyin(uregs[R_PC], 1);
inline int returns = code == 0xc3 || code == 0xc2 || code == 0xf3 || code == 0xf2 || code == 0xcc;

BEGIN
{
	began = timestamp;
	printf("%12s %-8s %s\n", "TIME ms", "TID", "CALL");
}

pid*:$module:$1:entry
/$$name == "" || execname == $$name/
{
	self->began[uregs[R_SP], probefunc] = timestamp;
	self->level[uregs[R_SP], probefunc] = self->depth + 1;
	printf("%8d.%03d %-8d %*s-> %s(", (timestamp - began) / 1000000, (timestamp - began) / 1000 % 1000, tid,
	    self->depth * 2, "", probefunc);
	if ($args > 0) printf("%#x", arg0);
	if ($args > 1) printf(", %#x", arg1);
	if ($args > 2) printf(", %#x", arg2);
	if ($args > 3) printf(", %#x", arg3);
	if ($args > 4) printf(", %#x", arg4);
	if ($args > 5) printf(", %#x", arg5);
	printf(")");
	if (text != 0) printf(" \"%S\"", copyinstr(text));
	printf("\n");
	self->depth++;
}

pid*:$module:$1:return
/self->level[uregs[R_SP], probefunc]/
{
	self->depth = self->level[uregs[R_SP], probefunc] - 1;
	this->us = (timestamp - self->began[uregs[R_SP], probefunc]) / 1000;
	printf("%8d.%03d %-8d %*s<- %s", (timestamp - began) / 1000000, (timestamp - began) / 1000 % 1000, tid, self->depth * 2,
	    "", probefunc);
	if (returns) printf(" = %#x", arg1);
	if (!returns) printf(" goes on in another function");
	printf("  %d us\n", this->us);
	self->level[uregs[R_SP], probefunc] = 0;
	self->began[uregs[R_SP], probefunc] = 0;
}
