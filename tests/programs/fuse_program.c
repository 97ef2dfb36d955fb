// SPDX-License-Identifier: GPL-3.0-or-later
// fuse_program FOLDER FILE [MS]: mounts a FUSE file system of one file, /served, which is FILE, and serves it until it is
// killed; each page takes MS milliseconds. Root only. Writes "ready". Who stops it has a file system that does not answer.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static int device, file;
static useconds_t delay;
static struct stat about;

static void reply(uint64_t unique, int error, const void* data, size_t size) {
  struct fuse_out_header head = {.len = (uint32_t)(sizeof head + size), .error = error, .unique = unique};
  struct iovec parts[] = {{&head, sizeof head}, {(void*)data, size}};
  if (writev(device, parts, 2) < 0 && errno != ENOENT) perror("reply");
}

static struct fuse_attr attributes(uint64_t node) {
  if (node == FUSE_ROOT_ID) return (struct fuse_attr){.ino = node, .mode = S_IFDIR | 0755, .nlink = 2};
  return (struct fuse_attr){.ino = node,
                            .mode = S_IFREG | 0755,
                            .nlink = 1,
                            .size = (uint64_t)about.st_size,
                            .blocks = (uint64_t)about.st_blocks};
}

static void answer(const struct fuse_in_header* in) {
  static char part[1 << 20];
  const void* body = in + 1;
  switch (in->opcode) {
    case FUSE_INIT: {
      struct fuse_init_out out = {
          .major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION, .max_write = 1 << 16};
      return reply(in->unique, 0, &out, sizeof out);
    }
    case FUSE_LOOKUP: {
      struct fuse_entry_out out = {.nodeid = 2, .attr = attributes(2)};
      return strcmp(body, "served") == 0 ? reply(in->unique, 0, &out, sizeof out) : reply(in->unique, -ENOENT, 0, 0);
    }
    case FUSE_GETATTR: {
      struct fuse_attr_out out = {.attr = attributes(in->nodeid)};
      return reply(in->unique, 0, &out, sizeof out);
    }
    case FUSE_OPEN: {
      struct fuse_open_out out = {.fh = 1};
      return reply(in->unique, 0, &out, sizeof out);
    }
    case FUSE_READ: {
      const struct fuse_read_in* wanted = body;
      usleep(delay);
      const ssize_t got =
          pread(file, part, wanted->size < sizeof part ? wanted->size : sizeof part, (off_t)wanted->offset);
      return got < 0 ? reply(in->unique, -EIO, 0, 0) : reply(in->unique, 0, part, (size_t)got);
    }
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT: return;
    case FUSE_FLUSH:
    case FUSE_RELEASE: return reply(in->unique, 0, 0, 0);
    default: return reply(in->unique, -ENOSYS, 0, 0);
  }
}

int main(int argc, char** argv) {
  static char request[1 << 17];
  char options[128];
  if (argc < 3) return 2;
  if (argc > 3) delay = (useconds_t)atoi(argv[3]) * 1000;
  file = open(argv[2], O_RDONLY | O_CLOEXEC);
  device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
  snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", device);
  if (file < 0 || fstat(file, &about) != 0) return perror(argv[2]), 2;
  if (device < 0 || mount("sonde-test", argv[1], "fuse.sonde-test", MS_NOSUID | MS_NODEV, options) != 0)
    return perror("fuse"), 77;
  printf("ready\n");
  fflush(stdout);
  while (read(device, request, sizeof request) > 0) answer((const struct fuse_in_header*)request);
  return 0;
}
