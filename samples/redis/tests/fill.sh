#!/bin/sh
# Writes 321 keys to the server at $REDIS; then waits, so that all events are seen.
redis-cli -s "$REDIS" EVAL 'for i = 1, 321 do redis.call("SET", "k" .. i, i) end' 0 >/dev/null
exec sleep 5
