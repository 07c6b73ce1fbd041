"""What travels between page and backend: SSE, chunks, partial JSON, declarations. No I/O."""
