/* @program: structs -O2 -g */
/* @sonde: -q -c @program@ */
/* @rows: type.program type.scope */
/* a.out`struct node, struct a.out`node, by the name of the file, and D`'s own of the same name. */
struct node { int mine; };
pid$target:a.out:visit:entry
{
  printf("%d %d\n", ((a.out`struct node *)arg0)->id, ((struct a.out`node *)arg0)->next->id);
  printf("%d %d\n", sizeof (struct node), sizeof (struct D`node));
  printf("%d\n", ((a.out`node_t *)arg0)->id);
}
