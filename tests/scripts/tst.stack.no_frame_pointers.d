/* @program: frames -O2 -fomit-frame-pointer */
/* @sonde: -q -c @program@ */
/* @offsets */
/* @rows: act.ustack */
/* The frames of code that keeps no frame pointers; three of them. */
int n;
pid$target:a.out:bottom:entry /n++ == 0/ { @[ustack(4)] = count(); }
END { printa(@); }
