/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An empty BPF fentry program on a function of the kernel: it occupies ftrace's
 * direct call there
 */
#ifndef SONDE_TEST_FENTRY_H
#define SONDE_TEST_FENTRY_H

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Size of the data after a type of this kind. */
static inline size_t btf_rest(uint32_t info)
{
	uint32_t count = BTF_INFO_VLEN(info);

	switch (BTF_INFO_KIND(info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return 4;
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_ENUM:
	case BTF_KIND_FUNC_PROTO:
		return 8 * count;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_DATASEC:
	case 19: /* BTF_KIND_ENUM64 */
		return 12 * count;
	}
	return 0;
}

static inline int btf_find(const char *btf, const char *function)
{
	const struct btf_header *head = (const void *)btf;
	const char *at = btf + head->hdr_len + head->type_off;
	const char *end = at + head->type_len;
	const char *names = btf + head->hdr_len + head->str_off;
	int id;

	for (id = 1; at < end; id++) {
		const struct btf_type *type = (const void *)at;

		if (BTF_INFO_KIND(type->info) == BTF_KIND_FUNC &&
		    !strcmp(names + type->name_off, function))
			return id;
		at += sizeof(*type) + btf_rest(type->info);
	}
	return -ENOENT;
}

/* The number of a function among the kernel's types, or a negative errno. */
static inline int btf_id(const char *function)
{
	size_t size = 64 << 20, have = 0;
	int fd = open("/sys/kernel/btf/vmlinux", O_RDONLY);
	char *btf = malloc(size);
	ssize_t got;
	int id = -ENOENT;

	while (fd >= 0 && btf &&
	       (got = read(fd, btf + have, size - have)) > 0)
		have += got;
	if (have > sizeof(struct btf_header))
		id = btf_find(btf, function);
	free(btf);
	close(fd);
	return id;
}

/* A descriptor that keeps the program attached, or a negative errno. */
static inline int fentry(const char *function)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int id = btf_id(function), program, link;
	union bpf_attr load, attach;

	if (id < 0)
		return id;
	memset(&load, 0, sizeof(load));
	load.prog_type = BPF_PROG_TYPE_TRACING;
	load.expected_attach_type = BPF_TRACE_FENTRY;
	load.attach_btf_id = id;
	load.insns = (uintptr_t)insns;
	load.insn_cnt = 2;
	load.license = (uintptr_t)"GPL";
	program = syscall(SYS_bpf, BPF_PROG_LOAD, &load, sizeof(load));
	if (program < 0)
		return -errno;
	memset(&attach, 0, sizeof(attach));
	attach.raw_tracepoint.prog_fd = program;
	link = syscall(SYS_bpf, BPF_RAW_TRACEPOINT_OPEN, &attach,
		       sizeof(attach));
	link = link < 0 ? -errno : link;
	close(program);
	return link;
}

#endif
