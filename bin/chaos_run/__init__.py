"""A run of a benchmark while workers are killed and servers restarted; shared by `bin/chaos`, `bin/two_hosts`, tests."""
