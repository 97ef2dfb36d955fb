/* @rows: opt.bufresize opt.bufsize opt.quietresize */
/* @sonde: -q -x bufsize=8t -x bufresize=auto -c /bin/true */
/* @stderr: buffer size lowered to 1g */
/* more than there can be: it is halved until it can, and told */
END { printf("done\n"); }
