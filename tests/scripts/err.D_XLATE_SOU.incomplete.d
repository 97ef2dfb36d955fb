struct later;
translator struct later < int n > { x = n; };
