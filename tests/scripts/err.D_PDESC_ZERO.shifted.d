BEGIN::read:entry { trace(1); }
