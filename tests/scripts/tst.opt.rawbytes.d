/* @rows: opt.rawbytes */
/* @sonde: -q -x rawbytes -x strsize=12 */
/* a string is shown as its bytes, strsize and the NUL */
BEGIN { trace("text"); exit(0); }
