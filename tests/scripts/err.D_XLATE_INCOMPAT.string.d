struct out { int a; };
translator struct out < int p > { a = "one"; };
