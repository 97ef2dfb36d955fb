/* @rows: act.impossible */
/* @command: -e -w -n 'BEGIN { breakpoint(); panic(); }' */
/* breakpoint() and panic() compile. */


