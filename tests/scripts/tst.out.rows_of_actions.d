/* @rows: out.rows_of_actions */
/* @sonde: */
/* @cpu: 0 */
/* A clause that only changes aggregations or options makes a row; one that only aggregates makes none. */

BEGIN { @a = count(); }
BEGIN { trunc(@a); }
BEGIN { clear(@a); }
BEGIN { normalize(@a, 2); }
BEGIN { denormalize(@a); }
BEGIN { setopt("quietresize"); }
BEGIN { exit(0); }
