BEGIN { seen[pid]++; trace(seen[pid]); self->d[3]--; trace(self->d[3]); exit(0); }
