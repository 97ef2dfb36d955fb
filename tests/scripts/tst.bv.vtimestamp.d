/* @sonde: -q -c /bin/true */
/* @rows: bv.vtimestamp */
/* The thread's time on a cpu never runs backwards. */
self uint64_t before;
syscall:::entry /self->before > vtimestamp/ { printf("backwards\n"); }
syscall:::entry { self->before = vtimestamp; }
END { printf("done\n"); }
