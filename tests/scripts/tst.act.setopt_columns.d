/* @rows: act.setopt opt.quiet */
/* @sonde: */
/* @cpu: 0 */
/* quiet from now on, and then not any more */
BEGIN { trace(1); }
BEGIN { setopt("quiet"); }
BEGIN { trace(2); printf("\n"); }
BEGIN { setopt("quiet", "no"); }
BEGIN { trace(3); exit(0); }
