"""Stand-ins for the servers of model providers, on this machine's loopback address."""
