/* @rows: opt.size_suffix opt.bufsize opt.aggsize opt.dynvarsize */
/* @sonde: -q -x bufsize=64K -x aggsize=1m -x dynvarsize=2M -x specsize=16k */
/* k m g t, in either case */
#pragma D option strsize=1k
BEGIN { printf("%d\n", sizeof (string)); exit(0); }
