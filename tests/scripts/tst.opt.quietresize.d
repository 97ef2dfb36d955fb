/* @rows: opt.quietresize opt.bufresize */
/* @sonde: -q -x bufsize=8t -x quietresize -c /bin/true */
/* the same, in silence */
END { printf("done\n"); }
