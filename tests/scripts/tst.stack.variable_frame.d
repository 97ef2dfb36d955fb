/* @program: frames -O2 -fomit-frame-pointer */
/* @sonde: -q -c @program@ */
/* @offsets */
/* @rows: act.ustack */
/* A frame of variable size is left through its saved stack pointer. */
int n;
pid$target:a.out:bottom:entry /++n == 2/ { ustack(3); }
