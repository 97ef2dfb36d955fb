/* @program: frames -O2 -s -rdynamic */
/* @sonde: -q -c @program@ */
/* @offsets */
/* @rows: act.ustack */
/* A program without .symtab still has the names that it exports. */
int n;
pid$target:a.out:bottom:entry /n++ == 0/ { ustack(4); }
