/* @program: structs -O2 -g */
/* @sonde: -q -c @program@ */
/* @rows: type.program type.typedef */
/* Names that a typedef of the program defines: in casts, in sizeof, for variables. */
pid$target:a.out:visit:entry { printf("%d %d\n", ((node_t *)arg0)->id, sizeof (node_t) == sizeof (struct node)); }
pid$target:a.out:visit:entry { printf("%d %d\n", sizeof (point_t), ((point_t *)(arg0 + offsetof (node_t, corners)))->y); }
