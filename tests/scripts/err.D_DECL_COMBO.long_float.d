long float a;
