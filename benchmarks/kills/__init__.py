"""Writers and database servers that are killed at random moments: python -m benchmarks.kills"""
