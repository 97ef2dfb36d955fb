typedef int vmlinux`xyz;
