#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * funclatency: shows how long functions of a pattern take, as a distribution
 *
 * At the end, for each function: how many calls have ended, how long they took from entry to return, and how many took how
 * long. A call that calls the function again counts with all that is within it, and so does the inner one. Waiting counts.
 * Times are in nanoseconds and have the cost of tracing in them: on ptrace, which traces PROGRAM without root, some ten
 * microseconds for each call, and for each call within it.
 *
 * A function that ends by a jump to another one ends there. A call that is left by an exception or longjmp(), and one that has
 * not ended, are not counted.
 *
 * word PATTERN: the functions, as malloc or 'str*'
 * option module=NAME: only functions of this library or program, as libc.so.6; a.out is the program itself
 * option name=NAME: only calls of programs with this name
 * option min=TIME: only calls that take at least this long
 * example: sonde funclatency getaddrinfo getent ahosts localhost
 *     how long it takes to look up a name
 */
#pragma D option quiet

pid*:$module:$1:entry
/$$name == "" || execname == $$name/
{
	self->began[uregs[R_SP], probefunc] = timestamp;
}

pid*:$module:$1:return
/self->began[uregs[R_SP], probefunc] && timestamp - self->began[uregs[R_SP], probefunc] >= $min/
{
	this->ns = timestamp - self->began[uregs[R_SP], probefunc];
	@calls[probefunc] = count();
	@average[probefunc] = avg(this->ns);
	@longest[probefunc] = max(this->ns);
	@total[probefunc] = sum(this->ns);
	@ns[probefunc] = quantize(this->ns);
}

pid*:$module:$1:return
{
	self->began[uregs[R_SP], probefunc] = 0;
}

END
{
	printa("%s: %@d calls, average %@d ns, longest %@d ns, all %@d ns\n%@d\n", @calls, @average, @longest, @total, @ns);
}
