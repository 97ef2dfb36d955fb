/* @rows: printa.time */
/* %@T and %@Y take any value. */

BEGIN { @t = min(1000000000); printa("%@T\n", @t); printa("%@Y\n", @t); exit(0); }
