/* @rows: opt.verbose */
/* @command: -e -x verbose -n 'BEGIN /arg0 == 1/ { }' */
/* verbose lists the fire part. */


