"""The pages of measured figures under docs/, made from bench/results/*.json by scripts/performance."""
