/* @rows: act.no_default act.default */
/* @sonde: */
/* @cpu: 0 */
/* assignments and aggregations make no row; trunc() does, and no statement at all */
BEGIN { x = 1; }
BEGIN { @a = count(); trunc(@a); }
BEGIN /x == 1/ { }
BEGIN { }
END { exit(0); }
BEGIN { exit(0); }
