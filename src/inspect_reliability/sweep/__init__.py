"""Many judges, benchmarks and temperatures in one folder of logs."""
