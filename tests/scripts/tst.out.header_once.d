/* @rows: out.header out.row */
/* @sonde: */
/* @cpu: 0 */
/* the header comes once, and only before a row */
BEGIN { x = 1; }
BEGIN { trace(1); }
BEGIN { trace(2); exit(0); }
