#!/usr/bin/env -S sonde -qs
/* SPDX-License-Identifier: MIT */
/* The time that each statement takes, and the rows that it gives. sonde --provider=sqlite.so -qs times.d -p PID */
/* SQLite has statements of its own, inside of the program's: these are at depth 1. */
sqlite:::prepare-start, sqlite:::step-start { self->depth++; }
sqlite:::prepare-start /self->depth == 1/ { self->text = args[0]->s_text; }
sqlite::sqlite3_prepare_v3:prepare-start /self->depth == 1/ { self->handle = args[1]; }
sqlite::sqlite3_prepare:prepare-start,
sqlite::sqlite3_prepare_v2:prepare-start /self->depth == 1/ { self->handle = args[1]; }
sqlite:::prepare-done /self->depth == 1 && args[0] == 0/
{
  text[pid, *(uintptr_t *)copyin(self->handle, sizeof (uintptr_t))] = self->text;
}
sqlite:::step-start /self->depth == 1 && text[pid, args[0]] != NULL/ { self->statement = args[0]; self->start = timestamp; }
sqlite:::step-done /self->depth == 1 && self->start != 0/
{
  @time[text[pid, self->statement]] = sum(timestamp - self->start);
  @rows[text[pid, self->statement]] = sum(args[0] == 100 ? 1 : 0);
  self->start = 0;
}
sqlite:::prepare-done, sqlite:::step-done /self->depth > 0/ { self->depth--; }
sqlite:::finalize /self->depth == 0/ { text[pid, args[0]] = 0; }
END { printf("%12s %8s  %s\n", "ns", "rows", "statement"); printa("%@12d %@8d  %s\n", @time, @rows); }
