#line 40 "other.d"
BEGIN { x = ; }
/* @rows: ctl.line */
