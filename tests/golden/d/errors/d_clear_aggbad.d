BEGIN { clear(@a[1]); }
