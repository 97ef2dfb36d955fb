/* @needs: /sys/kernel/btf/vmlinux */
/* @rows: type.kernel */
/* Structs of the kernel that runs: sizes and offsets are its own. */
BEGIN
{
  printf("%d %d\n", sizeof (struct list_head), offsetof (struct list_head, prev));
  printf("%d %d\n", sizeof (struct task_struct) > 1000, offsetof (struct task_struct, comm) > 0);
  printf("%d\n", sizeof (((struct task_struct *)0)->comm));
  printf("%d %d\n", sizeof (struct vmlinux`list_head), sizeof (vmlinux`struct list_head));
  printf("%d\n", sizeof (vmlinux`loff_t));
  exit(0);
}
