#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * memleak: shows memory that programs have asked for and not given back, by the stacks that asked
 *
 * At the end, each stack whose memory is still there, innermost function first, under the number of its process: how many
 * bytes. The most bytes come last. It looks at malloc(), calloc(), realloc(), posix_memalign() and free(); new of C++ calls
 * malloc(). What was allocated before tracing began is not there. With --ages there is a part for each second, 1 for the first
 * one of tracing, in which such memory was allocated: what is there from early seconds is a leak, what is from the last one may
 * be in use. With --format=svg it is a flame graph.
 *
 * Much of what a program has at its end it never meant to free. What it had when it executes another program stays in the
 * list. aligned_alloc() and memalign() are left out, because the C library does not show what they give. An allocation that
 * is still there takes up to 4 KiB of sonde's memory; if the 4 GiB that it may take are not enough, it reports drops, and the
 * sums are wrong: take a greater --min.
 *
 * option ages: apart by the second in which it was allocated
 * option min=SIZE: only allocations of at least that many bytes
 * option module=NAME libc.so.6: the library, or the path of the program, that has these functions
 * option name=NAME: only programs with this name
 * option top=COUNT: only so many stacks, those of the most bytes; 0 is all
 * example: sonde memleak --min=1k ls /usr/bin
 *     what ls has not freed when it ends
 */
#pragma D option quiet
#pragma D option aggzeros=no
#pragma D option dynvarsize=4g

self uintptr_t within;  /* the stack pointer of the outermost of these functions, which may call others of them */
self uintptr_t old;
self uint64_t asked;
this uintptr_t gone;
this uintptr_t made;
this string whose;

uint64_t began;
uint64_t bytes[int, uintptr_t];
uint64_t second[int, uintptr_t];
uint64_t kept_bytes[int];  /* by thread: what realloc() had, if it fails */
uint64_t kept_second[int];

inline int is_meant = $$name == "" || execname == $$name;
inline int is_outermost = !self->within || uregs[R_SP] >= self->within;

BEGIN
{
	began = timestamp;
}

pid*:$module:malloc:entry
/is_outermost && is_meant/
{
	self->within = uregs[R_SP];
	self->asked = arg0;
}

pid*:$module:calloc:entry
/is_outermost && is_meant/
{
	self->within = uregs[R_SP];
	self->asked = arg0 * arg1;
}

pid*:$module:posix_memalign:entry
/is_outermost && is_meant/
{
	self->within = uregs[R_SP];
	self->asked = arg2;
	self->old = arg0;
}

pid*:$module:malloc:return,
pid*:$module:calloc:return,
pid*:$module:realloc:return
/self->within && uregs[R_SP] == self->within && arg1 != 0 && self->asked >= $min && self->asked > 0/
{
	this->made = arg1;
	stack_of[pid, this->made] = ustack();
}

pid*:$module:posix_memalign:return
/self->within && uregs[R_SP] == self->within && (int)arg1 == 0 && self->asked >= $min && self->asked > 0/
{
	this->made = *(uintptr_t *)copyin(self->old, 8);
	stack_of[pid, this->made] = ustack();
}

/* Without memory of before it calls malloc(), and for no bytes free(). */
pid*:$module:realloc:entry
/is_outermost && arg0 != 0 && arg1 != 0/
{
	self->within = uregs[R_SP];
	self->asked = is_meant ? arg1 : 0;
	self->old = arg0;
	kept_bytes[tid] = bytes[pid, arg0];
}

pid*:$module:realloc:entry
/kept_bytes[tid] && uregs[R_SP] == self->within/
{
	kept_second[tid] = second[pid, arg0];
	kept_stack[tid] = stack_of[pid, arg0];
	this->gone = arg0;
}

pid*:$module:free:entry
/bytes[pid, arg0]/
{
	this->gone = arg0;
}

pid*:$module:realloc:entry,
pid*:$module:free:entry
/this->gone/
{
	this->whose = $ages ? strjoin(strjoin(lltostr(pid), ", second "), lltostr(second[pid, this->gone])) : lltostr(pid);
	@left[this->whose, stack_of[pid, this->gone]] = sum(-bytes[pid, this->gone]);
	bytes[pid, this->gone] = 0;
	second[pid, this->gone] = 0;
	stack_of[pid, this->gone] = 0;
}

pid*:$module:malloc:return,
pid*:$module:calloc:return,
pid*:$module:realloc:return,
pid*:$module:posix_memalign:return
/this->made/
{
	bytes[pid, this->made] = self->asked;
	second[pid, this->made] = (timestamp - began) / 1000000000 + 1;
	this->whose = $ages ? strjoin(strjoin(lltostr(pid), ", second "), lltostr(second[pid, this->made])) : lltostr(pid);
	@left[this->whose, stack_of[pid, this->made]] = sum(self->asked);
}

pid*:$module:realloc:return
/self->within && uregs[R_SP] == self->within && arg1 == 0 && kept_bytes[tid]/
{
	bytes[pid, self->old] = kept_bytes[tid];
	second[pid, self->old] = kept_second[tid];
	stack_of[pid, self->old] = kept_stack[tid];
	this->whose = $ages ? strjoin(strjoin(lltostr(pid), ", second "), lltostr(kept_second[tid])) : lltostr(pid);
	@left[this->whose, kept_stack[tid]] = sum(kept_bytes[tid]);
}

pid*:$module:malloc:return,
pid*:$module:calloc:return,
pid*:$module:realloc:return,
pid*:$module:posix_memalign:return
/uregs[R_SP] == self->within/
{
	self->within = 0;
	self->asked = 0;
	self->old = 0;
	kept_bytes[tid] = 0;
	kept_second[tid] = 0;
	kept_stack[tid] = 0;
}

END
/$top > 0/
{
	trunc(@left, $top);
}

END
{
	printa("  process %s%k%@20d bytes\n\n", @left);
}
