"""Tests on the published corpus; a package, so that its import ends with its last test."""
