BEGIN { }
#error "not" here
