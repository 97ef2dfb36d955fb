BEGIN { trace(vmlinux`jiffies); }
