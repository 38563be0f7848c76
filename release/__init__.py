"""What a release needs: the check of the built package, and the conda recipe. CONTRIBUTING.md has the checklist."""
