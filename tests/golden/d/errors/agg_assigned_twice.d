BEGIN { (@a = count()) = count(); }
