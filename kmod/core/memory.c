// SPDX-License-Identifier: GPL-2.0
/*
 * The module's allocations: see memory.h
 *
 * The size and kind of a block are stored before it, so that the caller of
 * sonde_free() need not know them. Not counted: what the kernel allocates for
 * us (nodes of xarrays, tables of ftrace, uprobes), and what a function frees
 * again before it returns.
 *
 * An allocation that exceeds its purse fails as if there were no memory.
 */
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "kmod/core/memory.h"

struct block {
	struct rcu_head rcu;
	struct sonde_purse *purse; /* that pays for it, or NULL */
	enum sonde_memory kind;
	u32 size; /* including this header */
	u64 data[];
};

static struct {
	atomic_long_t objects;
	atomic_long_t bytes;
} counts[SONDE_MEMORY_COUNT];

static const char *const names[] = {
	"states", "engines", "finders", "sessions", "programs", "native code", "clauses", "taps", "hooks",
	"rings", "targets", "variables", "late firings", "events",
	"held threads",
};

/**
 * sonde_memory_add() - count memory that was not allocated here
 * @kind: of the memory
 * @objects: how many more
 * @bytes: how many more
 *
 * Context: Any.
 */
void sonde_memory_add(enum sonde_memory kind, long objects, long bytes)
{
	atomic_long_add(objects, &counts[kind].objects);
	atomic_long_add(bytes, &counts[kind].bytes);
}

static void *memory_begin(struct block *block, enum sonde_memory kind,
			  size_t size)
{
	if (!block)
		return NULL;
	block->kind = kind;
	block->size = size;
	sonde_memory_add(kind, 1, size);
	return block->data;
}

/*
 * What must not sleep is charged to no control group: current may be anybody,
 * whom an interrupt has hit.
 */
static struct block *memory_take(size_t size, gfp_t gfp)
{
	if (!gfpflags_allow_blocking(gfp))
		return kzalloc(size, gfp | __GFP_NOWARN);
	might_sleep();
	return kvzalloc(size, gfp | __GFP_ACCOUNT | __GFP_NOWARN);
}

/**
 * sonde_alloc() - allocate zeroed memory, limited by the control group only
 * @kind: what for
 * @size: bytes
 *
 * Context: Process context. May sleep.
 * Return: memory that sonde_free() frees, or NULL.
 */
void *sonde_alloc(enum sonde_memory kind, size_t size)
{
	return sonde_alloc_within(NULL, kind, size, GFP_KERNEL);
}

/**
 * sonde_alloc_within() - allocate zeroed memory that a purse limits
 * @purse: limits it; the purse may be freed before the memory is freed by RCU.
 *	NULL: no limit
 * @kind: what for
 * @size: bytes
 * @gfp: as the context requires
 *
 * Context: Any but NMI.
 * Return: memory that sonde_free() frees, or NULL.
 */
void *sonde_alloc_within(struct sonde_purse *purse, enum sonde_memory kind,
			 size_t size, gfp_t gfp)
{
	struct block *block = NULL;

	if (size > U32_MAX / 2)
		return NULL;
	size += sizeof(*block);
	if (!purse || atomic_long_add_return(size, &purse->bytes) <= purse->most)
		block = memory_take(size, gfp);
	if (block)
		block->purse = purse;
	else if (purse)
		atomic_long_sub(size, &purse->bytes);
	return memory_begin(block, kind, size);
}

static struct block *memory_block_of(void *memory)
{
	struct block *block = container_of(memory, struct block, data);

	if (block->purse)
		atomic_long_sub(block->size, &block->purse->bytes);
	block->purse = NULL;
	return block;
}

static void memory_end(struct block *block)
{
	sonde_memory_add(block->kind, -1, -(long)block->size);
	kvfree(block);
}

static void memory_end_by_rcu(struct rcu_head *head)
{
	memory_end(container_of(head, struct block, rcu));
}

/**
 * sonde_free() - free memory of sonde_alloc() or sonde_alloc_within()
 * @memory: or NULL
 *
 * Context: Any but NMI.
 */
void sonde_free(void *memory)
{
	if (memory)
		memory_end(memory_block_of(memory));
}

/**
 * sonde_free_rcu() - sonde_free() after an RCU grace period
 * @memory: or NULL
 *
 * Context: Any but NMI.
 */
void sonde_free_rcu(void *memory)
{
	if (memory)
		call_rcu(&memory_block_of(memory)->rcu, memory_end_by_rcu);
}

/**
 * sonde_memory_show() - print a line for each kind: objects, bytes
 * @to: /proc/sonde
 *
 * Context: Process context.
 */
void sonde_memory_show(struct seq_file *to)
{
	int kind;

	for (kind = 0; kind < SONDE_MEMORY_COUNT; kind++)
		seq_printf(to, "memory %s: %ld objects, %ld bytes\n",
			   names[kind], atomic_long_read(&counts[kind].objects),
			   atomic_long_read(&counts[kind].bytes));
}

/**
 * sonde_memory_end() - check that nothing is left
 *
 * Context: Process context, module unload: no session and no hook exists.
 */
void sonde_memory_end(void)
{
	long objects, bytes;
	int kind;

	rcu_barrier(); /* sonde_free_rcu() */
	for (kind = 0; kind < SONDE_MEMORY_COUNT; kind++) {
		objects = atomic_long_read(&counts[kind].objects);
		bytes = atomic_long_read(&counts[kind].bytes);
		WARN(objects || bytes,
		     "sonde: %ld objects of %s are left, %ld bytes\n", objects,
		     names[kind], bytes);
	}
}
