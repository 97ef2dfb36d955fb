/* @program: structs -O2 -g */
/* @sonde: -q -c @program@ */
/* @rows: type.program type.pointer */
/* Pointers into the program, with arithmetic: its integers, its arrays, a pointer to a pointer. */
pid$target:a.out:visit:entry
{
  printf("%d %d\n", *(int *)arg0, ((int *)arg0)[0]);
  printf("%c%c\n", *((char *)arg1), ((char *)arg1)[3]);
  this->next = (struct node **)(arg0 + offsetof (struct node, next));
  printf("%d %d\n", (*this->next)->id, *this->next == ((struct node *)arg0)->next);
}
