struct mix { char p : 3; int q : 10; long r : 25; } m;
BEGIN { trace(sizeof (m)); exit(0); }
