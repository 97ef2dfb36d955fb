/* @program: frames -O2 -fomit-frame-pointer */
/* @sonde: -q -c @program@ */
/* @rows: act.usym act.umod act.uaddr */
/* An address that holds nothing is shown as it is. */
pid$target:a.out:first:entry { usym(0x10); printf(" "); umod(0x10); printf(" "); uaddr(0x10); printf("\n"); }
