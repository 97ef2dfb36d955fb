/* @program: structs -O2 -g */
/* @sonde: -q -c @program@ */
/* @rows: type.program */
/* What lies in the program's memory decides whether the clause runs. */
pid$target:a.out:visit:entry /((struct node *)arg0)->next->id == 8/ { printf("list of two\n"); }
pid$target:a.out:visit:entry /((struct node *)arg0)->next->id == 9/ { printf("never\n"); }
pid$target:a.out:visit:entry /((struct node *)arg0)->low == 5 && ((struct node *)arg0)->negative < 0/ { printf("fields\n"); }
