"""The web app: people answer, everybody sees what is learned. It translates; study and session compute."""
