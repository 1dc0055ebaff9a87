# 7 header
BEGIN { }
