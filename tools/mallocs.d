#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mallocs: shows how much memory programs ask for, in which sizes, and where
 *
 * At the end, for each program: how many times it asked for memory, for how many bytes in all, and how many requests were of
 * which size. malloc(), calloc(), realloc(), aligned_alloc() and posix_memalign() count, also where they fail; new of C++
 * calls malloc(). What is freed again counts all the same. With --stacks there are bytes by the stacks that asked, the most last;
 * with --format=svg that is a flame graph.
 *
 * option stacks: bytes by stack
 * option min=SIZE: only requests of at least that many bytes
 * option module=NAME libc.so.6: the library, or the path of the program, that has these functions
 * option name=NAME: only programs with this name
 * option top=COUNT: of --stacks only so many, those of the most bytes; 0 is all
 * example: sonde mallocs --stacks --top=3 ls /usr/bin
 *     where ls asks for most memory
 */
#pragma D option quiet

this int asks;
this int64_t bytes;
self int within;  /* a realloc() that may call malloc() */

/* What no address space has room for. */
inline int is_impossible = this->bytes >> 47 != 0;
inline int is_meant = $$name == "" || execname == $$name;

pid*:$module:malloc:entry
/!self->within && is_meant/
{
	this->asks = 1;
	this->bytes = arg0;
}

pid*:$module:calloc:entry
/is_meant/
{
	this->asks = 1;
	this->bytes = arg0 * arg1;
}

/* Without memory of before it calls malloc(), and for no bytes free(). */
pid*:$module:realloc:entry
/arg0 != 0 && arg1 != 0 && is_meant/
{
	self->within = 1;
	this->asks = 1;
	this->bytes = arg1;
}

pid*:$module:realloc:return
{
	self->within = 0;
}

pid*:$module:aligned_alloc:entry
/is_meant/
{
	this->asks = 1;
	this->bytes = arg1;
}

pid*:$module:posix_memalign:entry
/is_meant/
{
	this->asks = 1;
	this->bytes = arg2;
}

pid*:$module:malloc:entry,
pid*:$module:calloc:entry,
pid*:$module:realloc:entry,
pid*:$module:aligned_alloc:entry,
pid*:$module:posix_memalign:entry
/this->asks && !is_impossible && this->bytes >= $min && !$stacks/
{
	@requests[execname, pid] = count();
	@bytes[execname, pid] = sum(this->bytes);
	@sizes[execname, pid] = quantize(this->bytes);
}

pid*:$module:malloc:entry,
pid*:$module:calloc:entry,
pid*:$module:realloc:entry,
pid*:$module:aligned_alloc:entry,
pid*:$module:posix_memalign:entry
/this->asks && !is_impossible && this->bytes >= $min && $stacks/
{
	@by_stack[execname, ustack()] = sum(this->bytes);
}

pid*:$module:malloc:entry,
pid*:$module:calloc:entry,
pid*:$module:realloc:entry,
pid*:$module:aligned_alloc:entry,
pid*:$module:posix_memalign:entry
/this->asks && is_impossible/
{
	@impossible[execname, pid] = count();
}

END
/$top > 0/
{
	trunc(@by_stack, $top);
}

END
{
	printa("%s %d: %@d requests, %@d bytes; by bytes:\n%@d\n", @requests, @bytes, @sizes);
	printa("  %s%k%@20d bytes\n\n", @by_stack);
	printa("%s %d: %@d requests of more bytes than there are addresses\n", @impossible);
}
