/* @program: structs -O2 -g */
/* @sonde: -q -c @program@ */
/* @rows: type.program var.struct_assign */
/* A whole struct of the program, copied into a variable. */
pid$target:a.out:visit:entry { copy = *(struct node *)arg0; second = copy.corners[1]; }
END { printf("%d %s %d %d\n", copy.id, stringof(copy.name), copy.high, second.y); }
