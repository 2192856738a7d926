"""Settings: `base` for every environment, `test` for the suite. `.env.example` describes every name they read."""
