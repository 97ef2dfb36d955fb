/* SPDX-License-Identifier: MIT */
/* args[0] of all spool probes. struct __spool stands for the raw arguments: there is nothing behind it to read. */
struct __spool;
typedef struct spoolinfo {
  int s_waiting;      /* files that wait now */
  uint64_t s_bytes;   /* size of the file */
  uint64_t s_waited;  /* ns that it has waited; of `depth`: the oldest */
} spoolinfo_t;
translator spoolinfo_t < struct __spool *S > { s_waiting = (int)arg0; s_bytes = arg1; s_waited = arg2; };
