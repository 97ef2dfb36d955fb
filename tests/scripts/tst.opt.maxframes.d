/* @rows: opt.maxframes */
/* @command: -e -x maxframes=1 -S -n 'BEGIN { ustack(5); ustack(); jstack(3); }' */
/* maxframes bounds the depth of any stack. */


