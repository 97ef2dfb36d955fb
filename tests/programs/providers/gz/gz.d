/* SPDX-License-Identifier: GPL-3.0-or-later */
/* args[0] of gz::deflate:start and gz::inflate:start: the stream, as zlib.h has it. */
struct z_stream_s {
	unsigned char *next_in;
	unsigned int avail_in;
	unsigned long total_in;
	unsigned char *next_out;
	unsigned int avail_out;
	unsigned long total_out;
	char *msg;
	void *state;
};
typedef struct gzstream {
	uint32_t gz_avail_in;
	uint64_t gz_total_in;
	uint64_t gz_total_out;
} gzstream_t;
translator gzstream_t < struct z_stream_s *Z > {
	gz_avail_in = Z->avail_in;
	gz_total_in = Z->total_in;
	gz_total_out = Z->total_out;
};
