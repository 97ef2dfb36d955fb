struct sa { char a; int b; } arr[4];
BEGIN { trace((uintptr_t)&arr[2] - (uintptr_t)&arr[0]); exit(0); }
