BEGIN { x = pid ? trace(1) : 2; }
