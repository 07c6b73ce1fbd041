"""The edge: fetch, storage, timers, proxies, the custom element."""
