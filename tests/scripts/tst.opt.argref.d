/* @rows: opt.argref macro.argref */
/* @sonde: -q -x argref */
/* @arguments: unused words */
/* words that no program names pass */
BEGIN { printf("on\n"); exit(0); }
