/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What the walk of a user stack says in the flags of its record
 *
 * Set by a source that cannot find out more where it walks; the reader finds the reason by the mappings of that time.
 */
#ifndef SONDE_STACK_FLAGS_H
#define SONDE_STACK_FLAGS_H

/* Beside enum sonde_record_flags of record.h. */
enum sonde_stack_flags {
	SONDE_RECORD_STACK_LOST = 32, /* a stack ends at code whose callers could not be found */
	SONDE_RECORD_STACK_COMPILED = 64, /* a stack has code in memory that belongs to no file */
};

#endif
