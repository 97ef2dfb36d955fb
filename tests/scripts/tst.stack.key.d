/* @program: frames -O2 -fomit-frame-pointer */
/* @sonde: -q -c @program@ */
/* @rows: act.ustack */
/* Stacks that are equal are one key: bottom() is called from three places. */
pid$target:a.out:bottom:entry { @[ustack(2)] = count(); @all[probefunc] = count(); }
END { printa("%@d", @all); printf(" calls\n"); printa("%@d", @); printf(" from each\n"); }
