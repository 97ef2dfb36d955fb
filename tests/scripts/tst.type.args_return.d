/* @program: structs -O2 -g */
/* @sonde: -q -c @program@ */
/* @rows: bv.args type.program */
/* args[1] of a return is the value, typed: a point here. */
pid$target:a.out:visit:return { printf("%d %d\n", args[1], sizeof (args[1])); }
pid$target:a.out:corner:return { printf("%d %d\n", args[1]->x, args[1]->y); }
