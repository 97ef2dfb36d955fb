/* @needs: /sys/kernel/btf/vmlinux */
/* @rows: type.kernel */
/* Structs that system calls take are the kernel's: struct page is not, but these are. */
BEGIN { printf("%d %d\n", sizeof (struct sockaddr), offsetof (struct sockaddr, sa_data)); }
BEGIN { printf("%d %d\n", sizeof (struct timespec64), sizeof (struct epoll_event)); exit(0); }
