/* SPDX-License-Identifier: GPL-3.0-or-later */
typedef struct bufinfo {
  int b_flags; size_t b_bcount; caddr_t b_addr; uint64_t b_lblkno; uint64_t b_blkno; size_t b_resid; size_t b_bufsize;
  caddr_t b_iodone; int b_error; dev_t b_edev;
} bufinfo_t;
typedef struct devinfo {
  int dev_major; int dev_minor; int dev_instance; string dev_name; string dev_statname; string dev_pathname;
} devinfo_t;
