BEGIN { copyoutstr(1, 2, 3); }
/* @rows: act.copyoutstr */
