"""What the measurement of the asking loop runs beside it: a cheap server and a bare client."""
