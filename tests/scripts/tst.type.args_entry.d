/* @program: structs -O2 -g */
/* @sonde: -q -c @program@ */
/* @rows: bv.args type.program */
/* args[] of a function have the types that its program declares; the double takes no place of the others. */
pid$target:a.out:visit:entry
{
  printf("%d %s %d %d\n", args[0]->id, stringof(args[1]), args[2], args[4]);
  printf("%d %s\n", args[0]->next->id, stringof(args[0]->next->name));
  printf("%d %d\n", sizeof (args[2]), sizeof (args[4]));
}
pid$target:a.out:corner:entry { printf("%d %d\n", args[0]->corners[args[1] - args[1]].x, args[1]); }
