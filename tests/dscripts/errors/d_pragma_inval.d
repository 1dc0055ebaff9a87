#pragma D nothing
BEGIN { }
