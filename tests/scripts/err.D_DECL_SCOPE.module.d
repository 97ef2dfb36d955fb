int vmlinux`xyz;
