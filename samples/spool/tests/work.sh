#!/bin/sh
# work.sh FOLDER SECONDS: three files come and go; then it waits, so that all events are seen.
set -e
put() { head -c "$2" /dev/zero >"$1"; }
put "$1/a" 1
mkdir -p "$1.aside"
put "$1.aside/b" 22
mv "$1.aside/b" "$1/b"
rm "$1/a"
put "$1/c" 333
mv "$1/c" "$1.aside/c"
rm "$1/b" "$1.aside/c"
sleep "$2"
