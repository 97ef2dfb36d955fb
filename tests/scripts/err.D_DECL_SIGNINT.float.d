unsigned float a;
