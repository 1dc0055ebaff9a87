BEGIN { @a = count(); denormalize(); }
