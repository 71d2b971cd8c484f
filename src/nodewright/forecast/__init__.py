"""Forecasts: a workload of one's own in virtual time, under any settings, beside what others would do."""
