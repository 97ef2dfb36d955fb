/* SPDX-License-Identifier: GPL-2.0 */
/* A 32-bit program: mmap2, munmap, brk. No C library: built with -nostdlib. */
	.text
	.globl	_start
_start:
	movl	$192, %eax		/* mmap2(0, 12288, PROT_READ, */
	xorl	%ebx, %ebx
	movl	$12288, %ecx
	movl	$1, %edx
	movl	$0x22, %esi		/* MAP_PRIVATE | MAP_ANONYMOUS, */
	movl	$-1, %edi		/* -1, 0) */
	xorl	%ebp, %ebp
	int	$0x80
	movl	%eax, %ebx		/* munmap(it, 12288) */
	movl	$91, %eax
	movl	$12288, %ecx
	int	$0x80
	movl	$45, %eax		/* brk(0) */
	xorl	%ebx, %ebx
	int	$0x80
	leal	4095(%eax), %ebx	/* brk(that, on a page, + 20480) */
	andl	$-4096, %ebx
	addl	$20480, %ebx
	movl	$45, %eax
	int	$0x80
	movl	$1, %eax		/* exit(0) */
	xorl	%ebx, %ebx
	int	$0x80
	.section .note.GNU-stack, "", @progbits
