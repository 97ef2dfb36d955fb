BEGIN { @[stack()] = count(); printa("%d\n", @); exit(0); }
/* @rows: act.stack_everywhere */
