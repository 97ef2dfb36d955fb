/* @rows: act.no_default act.default */
/* @sonde: */
/* @cpu: 0 */
/* assignments print nothing; no statement at all prints the probe */
BEGIN { x = 1; }
BEGIN { @a = count(); trunc(@a); }
BEGIN /x == 1/ { }
BEGIN { }
END { exit(0); }
BEGIN { exit(0); }
