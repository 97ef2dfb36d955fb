long long long a;
