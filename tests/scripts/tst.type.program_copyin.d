/* @program: structs -O2 -g */
/* @sonde: -q -c @program@ */
/* @rows: type.program */
/* The same by copyin(): the copy is read, not the program. */
pid$target:a.out:visit:entry
{
  this->node = (struct node *)copyin(arg0, sizeof (struct node));
  printf("%d %s %d\n", this->node->id, stringof(this->node->name), this->node->next == ((struct node *)arg0)->next);
  printf("%d\n", ((struct node *)copyin((uintptr_t)this->node->next, sizeof (struct node)))->id);
}
