"""What answers: the demo model, scripts for tests, real providers, a Mastra server."""
