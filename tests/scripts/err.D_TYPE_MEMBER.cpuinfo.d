BEGIN { trace(curcpu->cpu_nosuch); }
