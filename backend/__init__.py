"""The reference backend: POST /chat, and the page itself as static files."""
