"""What the measurement of the asking loop runs beside it: a cheap server, a bare client, a lone limiter."""
