/* @rows: opt.bufpolicy_switch */
/* @sonde: -q -x bufpolicy=switch */
/* the usual one */
BEGIN { printf("now\n"); exit(0); }
