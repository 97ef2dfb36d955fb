/* @needs: /sys/kernel/btf/vmlinux */
/* @rows: type.kernel type.incomplete */
/* A struct that is only named gets the kernel's members when somebody looks inside; one that is declared is the script's own. */
struct file;
struct list_head *head;
struct file *own;
BEGIN { printf("%d\n", (int)(uintptr_t)&((struct list_head *)0x100)->prev); printf("%d %d\n", head == NULL, own == NULL); exit(0); }
