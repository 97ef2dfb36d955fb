/* @program: frames -O2 -no-pie */
/* @sonde: -q -c @program@ */
/* @offsets */
/* @rows: act.ustack */
/* A program that is loaded where it was linked. */
int n;
pid$target:a.out:bottom:entry /n++ == 0/ { ustack(5); }
