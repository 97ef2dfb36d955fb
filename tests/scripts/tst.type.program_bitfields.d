/* @program: structs -O2 -g */
/* @sonde: -q -c @program@ */
/* @rows: type.program type.bitfield */
/* Bit-fields lie where the compiler put them, and are extended by their sign. x : 3; */
pid$target:a.out:visit:entry
{
  printf("%d %d %d\n", ((struct node *)arg0)->low, ((struct node *)arg0)->high, ((struct node *)arg0)->negative);
  this->copy = (struct node *)copyin(arg0, sizeof (struct node));
  printf("%d %d %d\n", this->copy->low, this->copy->high, this->copy->negative);
}
