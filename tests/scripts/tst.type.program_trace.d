/* @program: structs -O2 -g */
/* @sonde: -q -x rawbytes -c @program@ */
/* @rows: type.program */
/* An array of the program, traced as it is. */
pid$target:a.out:visit:entry { trace(((struct node *)arg0)->corners); }
