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
 * A page within a larger one (__inner) does not say whose it is, and kernels differ in how it leads to the one that does.
 * They also differ in what they call the list of a file's names, which is the last of a struct dentry, two pointers wide;
 * a dentry that is not the file's is not believed.
 */
inline struct page *__page[struct request *R] = R->bio->bi_io_vec->bv_page;
inline int __has_page[struct request *R] = R->bio != 0 && R->bio->bi_vcnt != 0;
inline int __inner[struct request *R] = __has_page[R] && ((uintptr_t)__page[R]->lru.next & 1) != 0;
inline struct inode *__inode[struct request *R] = __page[R]->mapping->host;
inline struct dentry *__dentry[struct request *R] =
  (struct dentry *)((uintptr_t)__inode[R]->i_dentry.first - (sizeof (struct dentry) - 2 * sizeof (void *)));
inline int __of_file[struct request *R] = __has_page[R] && !__inner[R] && (uintptr_t)__page[R]->mapping != 0 &&
  ((uintptr_t)__page[R]->mapping & 3) == 0;
inline int __has_name[struct request *R] = __of_file[R] && (uintptr_t)__inode[R]->i_dentry.first != 0 &&
  (uintptr_t)__dentry[R]->d_inode == (uintptr_t)__inode[R];
inline string __no_file[struct request *R] = __inner[R] ? "<unknown>" : "<none>";
translator fileinfo_t < struct request *R > {
  fi_name = __has_name[R] ? stringof(__dentry[R]->d_name.name) : __no_file[R]; fi_dirname = __has_name[R] ? "<unknown>" : __no_file[R];
  fi_pathname = __has_name[R] ? "<unknown>" : __no_file[R]; fi_fs = __of_file[R] ? stringof(__inode[R]->i_sb->s_type->name) : __no_file[R];
  fi_mount = __has_name[R] ? "<unknown>" : __no_file[R];
};
inline fileinfo_t fds[int fd] = xlate <fileinfo_t> (fd);
