/* @rows: opt.bufsize cmd.b */
/* @sonde: -q -b 64 */
/* a buffer below the least is raised */
BEGIN { printf("%s\n", "fits"); exit(0); }
