/* @program: structs -O2 -g */
/* @sonde: -q -c @program@ */
/* @rows: type.program type.array */
/* Arrays of structs and of arrays: [3] and [2][3]. */
pid$target:a.out:visit:entry
{
  printf("%d %d\n", ((struct node *)arg0)->corners[1].x, ((struct node *)arg0)->corners[2].y);
  printf("%d %d\n", ((struct node *)arg0)->grid[0][2], ((struct node *)arg0)->grid[1][0]);
  printf("%d %d %c\n", sizeof (((struct node *)arg0)->corners), sizeof (((struct node *)arg0)->grid), ((struct node *)arg0)->name[5]);
}
