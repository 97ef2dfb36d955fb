/* SPDX-License-Identifier: GPL-3.0-or-later */
typedef struct fileinfo {
  string fi_name; string fi_dirname; string fi_pathname; loff_t fi_offset; string fi_fs; string fi_mount; int fi_oflags;
} fileinfo_t;
translator fileinfo_t < int F > {
  fi_name = basename(__fdpath[F]); fi_dirname = __fdpath[F] == "<none>" || __fdpath[F] == "<unknown>" ? __fdpath[F] : dirname(__fdpath[F]);
  fi_pathname = __fdpath[F]; fi_offset = __decimal(__fdpos[F]); fi_fs = __fdfs[F] == "" ? "<none>" : __fdfs[F];
  fi_mount = __fdmount[F] == "" ? "<none>" : __fdmount[F]; fi_oflags = (int)__decimal(__fdflags[F]);
};
inline fileinfo_t fds[int fd] = xlate <fileinfo_t> (fd);
