#!/usr/bin/env -S sonde -qs
/* SPDX-License-Identifier: MIT */
/* A line a second of what a Redis server does. sonde --provider=redis.so -qs load.d */
BEGIN { printf("%10s %8s %12s %10s\n", "commands/s", "clients", "memory", "answer us"); }
redis:stats::total_commands_processed { commands = args[1]; }
redis:clients::connected_clients { clients = args[0]; }
redis:memory::used_memory { memory = args[0]; }
redis:::sample { printf("%10d %8d %12d %10d\n", commands, clients, memory, args[0] / 1000); }
