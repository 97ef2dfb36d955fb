/* @program: frames -O2 -static */
/* @sonde: -q -c @program@ */
/* @offsets */
/* @rows: act.ustack */
/* A program without a dynamic linker. */
int n;
pid$target:a.out:bottom:entry /n++ == 0/ { ustack(5); }
