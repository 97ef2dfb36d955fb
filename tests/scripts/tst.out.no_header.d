/* @rows: out.header out.quiet_newline */
/* @sonde: */
/* nothing recorded: no header, one newline at the end */
BEGIN { x = 1; @a = count(); trunc(@a); }
tick-1ms { setopt("quiet"); exit(0); }
