/* @rows: act.stack_everywhere */
/* @command: -e -n 'BEGIN { stack(5); @[stack(), func(caller)] = count(); }' */
/* stack() and its kin compile everywhere. */


