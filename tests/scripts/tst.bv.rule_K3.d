cpuinfo_t *ci;
BEGIN { ci = curcpu; trace((int64_t)curcpu != 0); trace(ci->cpu_id == cpu); exit(0); }
