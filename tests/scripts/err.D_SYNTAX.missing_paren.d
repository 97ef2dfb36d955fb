syscall:::entry { @a = count(; }
