/* @program: structs -O2 -g */
/* @sonde: -q -c @program@ */
/* @rows: type.program type.enum */
/* enum colour of the program; its enumerators are known once it was named. */
pid$target:a.out:visit:entry
{
  printf("%d %d\n", (enum colour)arg2, sizeof (enum colour));
  printf("%d %d\n", ((struct node *)arg0)->colour == GREEN, ((struct node *)arg0)->next->colour == BLUE);
}
