#pragma D option quiet


tick-1ms { n++; }
tick-1ms /n % 3 == 0/ { printf("%d ", n); }
tick-1ms /n == 9/ { printf("\n"); exit(0); }
