/* SPDX-License-Identifier: GPL-3.0-or-later */
typedef struct bufinfo {
  int b_flags; size_t b_bcount; caddr_t b_addr; uint64_t b_lblkno; uint64_t b_blkno; size_t b_resid; size_t b_bufsize;
  caddr_t b_iodone; int b_error; dev_t b_edev;
} bufinfo_t;
typedef struct devinfo {
  int dev_major; int dev_minor; int dev_instance; string dev_name; string dev_statname; string dev_pathname;
} devinfo_t;
inline uint32_t __major[struct request *R] = R->q->disk->major;
inline uint32_t __minor[struct request *R] = R->part != 0 ? R->part->bd_dev & 0xfffff : R->q->disk->first_minor;
inline dev_t __device[struct request *R] = (__minor[R] & 0xff) | __major[R] << 8 | (__minor[R] & 0xfff00) << 12;
/* What done says of a request: how much of it, and the error. */
struct __done;
translator bufinfo_t < struct request *R > {
  b_flags = (R->cmd_flags & 0xff) == 0 ? B_READ : (R->cmd_flags & 1) != 0 ? B_WRITE : 0;
  b_bcount = R->__data_len; b_addr = 0; b_lblkno = R->__sector; b_blkno = R->__sector; b_resid = 0; b_bufsize = R->__data_len;
  b_iodone = (caddr_t)R->end_io; b_error = 0; b_edev = __device[R];
};
translator bufinfo_t < struct __done *D > {
  b_flags = (((struct request *)arg0)->cmd_flags & 0xff) == 0 ? B_READ : (((struct request *)arg0)->cmd_flags & 1) != 0 ? B_WRITE : 0;
  b_bcount = arg2; b_addr = 0; b_lblkno = ((struct request *)arg0)->__sector; b_blkno = ((struct request *)arg0)->__sector;
  b_resid = ((struct request *)arg0)->__data_len - arg2; b_bufsize = ((struct request *)arg0)->__data_len;
  b_iodone = (caddr_t)((struct request *)arg0)->end_io; b_error = arg1 == 0 ? 0 : 5; b_edev = __device[(struct request *)arg0];
};
translator devinfo_t < struct request *R > {
  dev_major = __major[R]; dev_minor = __minor[R]; dev_instance = __minor[R];
  dev_name = stringof(R->q->disk->disk_name);
  dev_statname = R->part != 0 ? stringof(R->part->bd_device.kobj.name) : stringof(R->q->disk->disk_name);
  dev_pathname = strjoin("/dev/", R->part != 0 ? stringof(R->part->bd_device.kobj.name) : stringof(R->q->disk->disk_name));
};
