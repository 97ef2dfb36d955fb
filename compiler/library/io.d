/* SPDX-License-Identifier: GPL-3.0-or-later */
typedef struct fileinfo {
  string fi_name; string fi_dirname; string fi_pathname; loff_t fi_offset; string fi_fs; string fi_mount; int fi_oflags;
} fileinfo_t;
translator fileinfo_t < int F > {
  fi_name = basename(__fdpath[F]); fi_dirname = __fdpath[F] == "<none>" || __fdpath[F] == "<unknown>" ? __fdpath[F] : dirname(__fdpath[F]);
  fi_pathname = __fdpath[F]; fi_offset = __decimal(__fdpos[F]); fi_fs = __fdfs[F] == "" ? "<none>" : __fdfs[F];
  fi_mount = __fdmount[F] == "" ? "<none>" : __fdmount[F]; fi_oflags = (int)__decimal(__fdflags[F]);
};
/*
 * The file of the first page that a request of a disk moves; direct transfers are of a program's own pages. Pointers are
 * followed where the probe fires, so none of them depends on a condition: where there is no file, nothing is asked of them.
 */
inline uintptr_t __page[struct request *R] = (uintptr_t)R->bio->bi_io_vec->bv_page;
inline uintptr_t __compound[struct request *R] = ((struct page *)__page[R])->compound_head;
inline struct page *__head_page[struct request *R] = (struct page *)(__page[R] + (__compound[R] & 1) * (__compound[R] - 1 - __page[R]));
inline struct inode *__inode[struct request *R] = __head_page[R]->mapping->host;
inline struct dentry *__dentry[struct request *R] =
  (struct dentry *)((uintptr_t)__inode[R]->i_dentry.first - offsetof(struct dentry, d_u));
inline int __of_file[struct request *R] = R->bio != 0 && R->bio->bi_vcnt != 0 && (uintptr_t)__head_page[R]->mapping != 0 &&
  ((uintptr_t)__head_page[R]->mapping & 3) == 0;
inline int __has_name[struct request *R] = __of_file[R] && (uintptr_t)__inode[R]->i_dentry.first != 0;
translator fileinfo_t < struct request *R > {
  fi_name = __has_name[R] ? stringof(__dentry[R]->d_name.name) : "<none>"; fi_dirname = __has_name[R] ? "<unknown>" : "<none>";
  fi_pathname = __has_name[R] ? "<unknown>" : "<none>"; fi_fs = __of_file[R] ? stringof(__inode[R]->i_sb->s_type->name) : "<none>";
  fi_mount = __has_name[R] ? "<unknown>" : "<none>";
};
inline fileinfo_t fds[int fd] = xlate <fileinfo_t> (fd);
