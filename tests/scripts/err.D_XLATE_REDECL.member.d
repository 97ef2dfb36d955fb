struct out { int a; int b; };
translator struct out < int p > { a = p; b = 2; a = 1; };
