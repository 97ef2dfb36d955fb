// SPDX-License-Identifier: GPL-3.0-or-later
// A FUSE file system of one file, /file, whose server is a child of the program, and a write() of the file's
// mapped pages. Root only. A tracer that reads such a page, or opens the file, waits for a process that it may have
// stopped.
//   FOLDER begin   mounts there and begins at once
//   FOLDER wait    writes "ready", and begins when standard input ends
//   FOLDER never   the same; the server does not answer reads: it hangs until it is killed
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kPages = 64, kPage = 4096 };
static int device, answers;

static void reply(uint64_t unique, int error, const void* data, size_t size) {
  struct fuse_out_header head = {.len = (uint32_t)(sizeof head + size), .error = error, .unique = unique};
  struct iovec parts[] = {{&head, sizeof head}, {(void*)data, size}};
  if (writev(device, parts, 2) < 0 && errno != ENOENT) perror("reply");
}

static struct fuse_attr attributes(uint64_t node) {
  if (node == FUSE_ROOT_ID) return (struct fuse_attr){.ino = node, .mode = S_IFDIR | 0755, .nlink = 2};
  return (struct fuse_attr){
      .ino = node, .mode = S_IFREG | 0755, .nlink = 1, .size = kPages * kPage, .blocks = kPages * 8};
}

static void answer(const struct fuse_in_header* in) {
  static char pages[kPages * kPage];
  const void* body = in + 1;
  switch (in->opcode) {
    case FUSE_INIT: {
      struct fuse_init_out out = {
          .major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION, .max_write = 1 << 16};
      return reply(in->unique, 0, &out, sizeof out);
    }
    case FUSE_LOOKUP: {
      struct fuse_entry_out out = {.nodeid = 2, .attr = attributes(2)};
      return strcmp(body, "file") == 0 ? reply(in->unique, 0, &out, sizeof out) : reply(in->unique, -ENOENT, 0, 0);
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
      if (!answers) return;
      const struct fuse_read_in* read = body;
      for (int i = 0; i < kPages; i++) strcpy(pages + i * kPage, "from the server\n");
      const size_t left = read->offset < sizeof pages ? sizeof pages - read->offset : 0;
      return reply(in->unique, 0, pages + read->offset, left < read->size ? left : read->size);
    }
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT: return;
    case FUSE_FLUSH:
    case FUSE_RELEASE: return reply(in->unique, 0, 0, 0);
    default: return reply(in->unique, -ENOSYS, 0, 0);
  }
}

static void serve(void) {
  static char request[1 << 17];
  while (read(device, request, sizeof request) > 0) answer((const struct fuse_in_header*)request);
  _exit(0);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  char options[128], path[4096];
  device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
  snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0", device);
  if (device < 0 || mount("sonde-test", argv[1], "fuse.sonde-test", MS_NOSUID | MS_NODEV, options) != 0)
    return perror("fuse"), 77;
  answers = strcmp(argv[2], "never") != 0;
  const pid_t server = fork();
  if (server == 0) serve();
  close(device);
  snprintf(path, sizeof path, "%s/file", argv[1]);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  char* pages = file < 0 ? MAP_FAILED : mmap(0, kPages * kPage, PROT_READ, MAP_PRIVATE, file, 0);
  if (pages == MAP_FAILED) return perror(path), 1;
  char byte;
  if (strcmp(argv[2], "begin") != 0) {
    if (write(1, "ready\n", 6) != 6) return 1;
    while (read(0, &byte, 1) > 0) continue;
  }
  if (!answers) return access(pages, F_OK);
  for (int i = 0; i < 3; i++)
    if (write(1, pages + 20 * kPage * i, 16) != 16) perror("write");
  munmap(pages, kPages * kPage);
  close(file);
  if (umount2(argv[1], 0) != 0) perror("umount");
  waitpid(server, NULL, 0);
  return 0;
}
