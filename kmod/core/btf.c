// SPDX-License-Identifier: GPL-2.0
/*
 * Signatures of kernel functions
 *
 * A hook reads a function's arguments from registers, and a call by address
 * passes them in registers. If the function took other arguments than we think,
 * both would fail silently. The kernel's description of its types (BTF) is in
 * its image, from __start_BTF to __stop_BTF: a header, a sequence of types that
 * refer to each other by number, and strings. We build an index of the types
 * once, at load; it is freed when every function has been checked.
 *
 * A signature is text: "bool(int, struct task_struct *)". Type names are the
 * kernel's, without const and volatile; a function type is "fn". Nothing
 * outside the section is read, whatever its contents.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/stringhash.h>
#include <linux/types.h>
#include <uapi/linux/btf.h>

#include "kmod/core/btf.h"

/* Kinds that are newer than the oldest supported kernel */
#define KIND_DECL_TAG 17
#define KIND_TYPE_TAG 18
#define KIND_ENUM64 19

#define POINTERS_MAX 8 /* maximal number of pointers and qualifiers of one type */

/* Bytes after a struct btf_type: once for its kind, and for each of its members */
static const struct {
	u8 fixed, each;
} tails[] = {
	[BTF_KIND_INT] = { 4, 0 },
	[BTF_KIND_ARRAY] = { sizeof(struct btf_array), 0 },
	[BTF_KIND_STRUCT] = { 0, sizeof(struct btf_member) },
	[BTF_KIND_UNION] = { 0, sizeof(struct btf_member) },
	[BTF_KIND_ENUM] = { 0, sizeof(struct btf_enum) },
	[BTF_KIND_FUNC_PROTO] = { 0, sizeof(struct btf_param) },
	[BTF_KIND_VAR] = { sizeof(struct btf_var), 0 },
	[BTF_KIND_DATASEC] = { 0, sizeof(struct btf_var_secinfo) },
	[KIND_DECL_TAG] = { 4, 0 },
	[KIND_ENUM64] = { 0, 12 },
};

static const void *types;
static const char *strings;
static u32 strings_size;
static u32 type_count; /* including type 0, which is void */
static u32 *places; /* offset of each type in types */
static u32 *hashes; /* of the name of each function; 0 for other types */

static const struct btf_type *btf_type_at(u32 id)
{
	return id && id < type_count ? types + places[id] : NULL;
}

static u32 btf_kind_of(const struct btf_type *type)
{
	return BTF_INFO_KIND(type->info);
}

static const char *btf_name_of(const struct btf_type *type)
{
	return type->name_off < strings_size ? strings + type->name_off : "";
}

static u32 btf_hash_of(const char *name)
{
	return hashlen_hash(hashlen_string(NULL, name)) ?: 1;
}

/*
 * Return: the size of @type in bytes, 0 if its kind is unknown or it exceeds
 * @room.
 */
static u32 btf_size_of(const struct btf_type *type, u32 room)
{
	u64 size = sizeof(*type);
	u32 kind;

	if (room < size)
		return 0;
	kind = btf_kind_of(type);
	if (!kind || kind >= ARRAY_SIZE(tails))
		return 0;
	size += tails[kind].fixed +
		(u64)tails[kind].each * BTF_INFO_VLEN(type->info);
	return size <= room ? size : 0;
}

static bool btf_index_types(u32 size)
{
	u32 at, step, room = size / sizeof(struct btf_type) + 1;

	places = kvmalloc_array(room, sizeof(*places), GFP_KERNEL);
	hashes = kvcalloc(room, sizeof(*hashes), GFP_KERNEL);
	if (!places || !hashes)
		return false;
	type_count = 1;
	for (at = 0; at < size; at += step) {
		const struct btf_type *type = types + at;

		step = btf_size_of(type, size - at);
		if (!step)
			return false;
		if (btf_kind_of(type) == BTF_KIND_FUNC)
			hashes[type_count] = btf_hash_of(btf_name_of(type));
		places[type_count++] = at;
	}
	return true;
}

/**
 * sonde_btf_open() - index the kernel's BTF
 * @start: of the section; NULL if the kernel has none
 * @end: of the section
 *
 * If it cannot be read, sonde_btf_check() finds no function.
 *
 * Context: Process context. May sleep.
 */
void sonde_btf_open(const void *start, const void *end)
{
	const struct btf_header *header = start;
	u64 size = start && end > start ? end - start : 0;

	might_sleep();
	if (size < sizeof(*header) || header->magic != BTF_MAGIC ||
	    header->version != BTF_VERSION || header->hdr_len > size)
		return;
	size -= header->hdr_len;
	if ((u64)header->type_off + header->type_len > size ||
	    (u64)header->str_off + header->str_len > size ||
	    header->type_off % sizeof(u32) || !header->str_len)
		return;
	types = start + header->hdr_len + header->type_off;
	strings = start + header->hdr_len + header->str_off;
	strings_size = header->str_len;
	if (strings[strings_size - 1] || !btf_index_types(header->type_len)) {
		pr_warn("sonde: the kernel's BTF cannot be read\n");
		sonde_btf_close();
	}
}

/**
 * sonde_btf_close() - free the index of sonde_btf_open()
 *
 * Context: Process context.
 */
void sonde_btf_close(void)
{
	kvfree(places);
	kvfree(hashes);
	places = NULL;
	hashes = NULL;
	type_count = 0;
}

/* The keyword before the name of a type. */
static const char *btf_word_of(u32 kind)
{
	switch (kind) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_FWD: return "struct ";
	case BTF_KIND_UNION: return "union ";
	case BTF_KIND_ENUM:
	case KIND_ENUM64: return "enum ";
	default: return "";
	}
}

static size_t btf_write_type(char *to, size_t room, u32 id)
{
	const struct btf_type *type = btf_type_at(id);
	const char *word = "", *name = "void";
	int pointers = 0, turns = 0;

	for (; type && turns < POINTERS_MAX; turns++) {
		u32 kind = btf_kind_of(type);

		if (kind == BTF_KIND_PTR)
			pointers++;
		else if (kind != BTF_KIND_CONST && kind != BTF_KIND_VOLATILE &&
			 kind != BTF_KIND_RESTRICT && kind != KIND_TYPE_TAG)
			break;
		type = btf_type_at(type->type);
	}
	if (type) {
		word = btf_word_of(btf_kind_of(type));
		name = btf_kind_of(type) == BTF_KIND_FUNC_PROTO ? "fn" :
							      btf_name_of(type);
	}
	return scnprintf(to, room, "%s%s%s%.*s", word, name,
			 pointers ? " " : "", pointers, "********");
}

static void btf_write_signature(char *to, size_t room,
				const struct btf_type *proto)
{
	const struct btf_param *param = (const void *)(proto + 1);
	u32 n, count = BTF_INFO_VLEN(proto->info);
	size_t at = btf_write_type(to, room, proto->type);

	at += scnprintf(to + at, room - at, "(");
	for (n = 0; n < count; n++) {
		at += scnprintf(to + at, room - at, n ? ", " : "");
		at += btf_write_type(to + at, room - at, param[n].type);
	}
	scnprintf(to + at, room - at, ")");
}

/**
 * sonde_btf_check() - check the signature of a function
 * @name: the function
 * @signature: the expected one
 * @found: buffer for the actual one
 * @room: size of the buffer
 *
 * Context: Process context, between sonde_btf_open() and sonde_btf_close().
 * Return: 0; -ENOENT: not in the BTF; -EINVAL: it is @found.
 */
int sonde_btf_check(const char *name, const char *signature, char *found,
		    size_t room)
{
	u32 hash = btf_hash_of(name), id;
	int err = -ENOENT;

	for (id = 1; id < type_count; id++) {
		const struct btf_type *function, *proto;

		if (hashes[id] != hash)
			continue;
		function = btf_type_at(id);
		proto = btf_type_at(function->type);
		if (strcmp(btf_name_of(function), name) || !proto ||
		    btf_kind_of(proto) != BTF_KIND_FUNC_PROTO)
			continue;
		btf_write_signature(found, room, proto);
		if (strcmp(found, signature))
			return -EINVAL;
		err = 0;	/* other functions of that name have to match, too */
	}
	return err;
}
