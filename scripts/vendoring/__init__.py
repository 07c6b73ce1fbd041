"""Builds static/vendor: everything the page needs, from our own origin."""
