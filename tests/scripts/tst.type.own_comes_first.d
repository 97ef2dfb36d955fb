/* @rows: type.kernel type.struct */
/* A struct that the script defines is the script's, whatever the kernel calls so: task_struct. */
struct task_struct { char mine; };
BEGIN { printf("%d %d\n", sizeof (struct task_struct), sizeof (D`struct task_struct)); exit(0); }
