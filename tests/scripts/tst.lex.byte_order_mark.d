#pragma D option quiet
/* @rows: lex.byte_order_mark */
/* @sonde: -x errtags */
/* some editors begin a text with one */
BEGIN { printf("fine\n"); exit(0); }
