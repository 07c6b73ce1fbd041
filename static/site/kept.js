// localStorage that may be missing or full: the site works without it.

export function kept(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function keep(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Private mode or a full store: nothing to do for a preference.
  }
}
