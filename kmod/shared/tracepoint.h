/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * How wide the arguments of a tracepoint are, for a source that calls functions of its own there
 *
 * A tracepoint passes each argument as a word, of which its type may have fewer bytes; the others are whatever was there.
 * A tap of TRACEPOINT has the shapes of its arguments in `offset`, SONDE_ARGUMENT_SHIFT bits each, the first one lowest.
 */
#ifndef SONDE_TRACEPOINT_H
#define SONDE_TRACEPOINT_H

#define SONDE_ARGUMENT_SHIFT 4
#define SONDE_ARGUMENT_BITS 15u

enum sonde_argument_shape {
	SONDE_ARGUMENT_NONE, /* reads as 0 */
	SONDE_ARGUMENT_WORD,
	SONDE_ARGUMENT_U8,
	SONDE_ARGUMENT_S8,
	SONDE_ARGUMENT_U16,
	SONDE_ARGUMENT_S16,
	SONDE_ARGUMENT_U32,
	SONDE_ARGUMENT_S32,
};

#endif
