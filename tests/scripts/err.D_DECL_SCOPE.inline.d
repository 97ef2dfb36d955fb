inline int vmlinux`xyz = 1;
