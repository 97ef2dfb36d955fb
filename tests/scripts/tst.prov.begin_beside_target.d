/* @rows: prov.begin_beside_target */
/* @command: -q -w -c 'touch @scratch@/mark' -n 'BEGIN { system("for i in 1 2 3 4 5 6 7 8 9; do test -e %s/mark && break; sleep 0.3; done; test -e %s/mark && echo there", $$1, $$1); }' @scratch@ */
/* BEGIN's actions run while the program does. */


