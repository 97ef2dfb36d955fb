/* @sonde: -q -x argref */
/* @arguments: one two */
/* @rows: macro.argref opt.argref */
/* With -x argref nobody minds arguments that are not used. */
BEGIN { printf("%s\n", $$2); exit(0); }
