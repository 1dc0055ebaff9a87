BEGIN { i = pid; trace(i + (i * (i + (i * (i + (i * (i + (i * (i + (i * (i + (i * (i + (i * (i + (i * i)))))))))))))))); }
