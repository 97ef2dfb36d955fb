/* @rows: opt.empty */
/* @command: -x empty -e -s /dev/null */
/* with -x empty a program may be empty */
