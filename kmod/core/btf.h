/* SPDX-License-Identifier: GPL-2.0 */
/* Signatures of kernel functions by the kernel's BTF, for hooks.c. */
#ifndef SONDE_BTF_H
#define SONDE_BTF_H

#include <linux/types.h>

void sonde_btf_open(const void *start, const void *end);
void sonde_btf_close(void);
int sonde_btf_check(const char *name, const char *signature, char *found,
		    size_t room);

#endif
