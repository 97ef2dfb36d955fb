#!/bin/sh
# 321 keys for the server at $REDIS; then it lingers, so that what happened is seen.
redis-cli -s "$REDIS" EVAL 'for i = 1, 321 do redis.call("SET", "k" .. i, i) end' 0 >/dev/null
exec sleep 5
