/* @rows: opt.bufresize opt.bufsize opt.quietresize */
/* @sonde: -q -x bufsize=8t -x bufresize=auto -c /bin/true */
/* @stderr: buffer size lowered to */
/* more than there can be: it is halved until it can, and told; how much that is depends on the memory */
END { printf("done\n"); }
