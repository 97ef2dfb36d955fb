/* @program: structs -O2 -g */
/* @sonde: -q -c @program@ */
/* @rows: type.program type.union */
/* Members of a union, and of a struct in it, that have no name are members of the struct. */
pid$target:a.out:visit:entry
{
  printf("%x %x\n", ((struct node *)arg0)->first, ((struct node *)arg0)->second);
  printf("%x\n", ((struct node *)arg0)->whole);
  printf("%d\n", offsetof (struct node, second) - offsetof (struct node, whole));
}
