struct vmlinux`mine { int a; };
