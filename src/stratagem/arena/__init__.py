"""Matches between players, their records, ratings and sequential tests."""
