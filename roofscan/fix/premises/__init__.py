"""What a fix rests on that the function does not say: types, signs, and that callers keep its assumptions."""
