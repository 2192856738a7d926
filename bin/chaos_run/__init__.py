"""A run of a benchmark while workers are killed and servers restarted; for `bin/chaos`, `bin/two_hosts` and tests."""
