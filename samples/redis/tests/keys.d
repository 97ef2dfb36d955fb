/* The command of -c gives the server 321 keys. It ends at the first sample that has them. */
int64_t keys, commands, port;
redis:stats::total_commands_processed { commands = args[0]; }
redis:server::tcp_port { port = args[0]; }
redis:keyspace::db0_keys { keys = args[0]; }
redis:::sample /keys == 321/ { printf("port %d, %d keys, commands: %s\n", port, keys, commands > 0 ? "some" : "none"); exit(0); }
