"""Many people answering a study at once, measured against an empty view of the same server."""
