/* @rows: opt.rate_suffix opt.aggrate opt.switchrate opt.statusrate opt.cleanrate */
/* @sonde: -q -x aggrate=500ms -x switchrate=10hz -x statusrate=2sec -x cleanrate=7 */
/* a number alone counts per second; large rates keep nothing from coming at the end */
#pragma D option switchrate=1000000000ns
#pragma D option aggrate=3hour
BEGIN { @a = count(); printf("at once\n"); exit(0); }
