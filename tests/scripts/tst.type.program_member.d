/* @program: structs -O2 -g */
/* @sonde: -q -c @program@ */
/* @rows: type.program */
/* A struct of the program behind an argument: members of each kind. */
pid$target:a.out:visit:entry
{
  this->node = (struct node *)arg0;
  printf("%d %d %d\n", this->node->id, this->node->next->id, this->node->next->colour);
  printf("%s|%s\n", stringof(this->node->name), stringof(this->node->next->name));
  printf("%s|%s\n", copyinstr((uintptr_t)this->node->label), stringof(this->node->next->label));
}
