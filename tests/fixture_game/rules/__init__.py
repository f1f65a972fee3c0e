"""Rules found by discovery when this package is named."""
