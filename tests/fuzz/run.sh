#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds the fuzzers and runs each for SECONDS on its corpus in the build folder, which grows from run to run.
# A finding ends the run with status 1 and stays in the build folder as crash-* or so.
#
#   tests/fuzz/run.sh SECONDS [BUILD] [NAME...]
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
seconds=${1:?usage: run.sh SECONDS [BUILD] [NAME...]}
build=${2:-$root/build}
[ $# -ge 2 ] && shift 2 || shift
[ -f "$build/build.ninja" ] || cmake -G Ninja -S "$root" -B "$build"
cmake --build "$build" --target fuzzers
[ $# -gt 0 ] || set -- dif_fuzz record_fuzz

status=0
for name in "$@"; do
  work=$build/tests/fuzz/$name.d
  mkdir -p "$work/corpus"
  echo "$name: $seconds seconds"
  if (cd "$work" && "../$name" -max_total_time="$seconds" -max_len=4096 -timeout=10 -print_final_stats=1 corpus) \
    >"$work/log" 2>&1; then
    grep -E 'number_of_executed_units|average_exec_per_sec' "$work/log"
  else
    tail -40 "$work/log"
    echo "$name: a finding; see $work"
    status=1
  fi
done
exit $status
