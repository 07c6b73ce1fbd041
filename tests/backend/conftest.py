import sys
from pathlib import Path

from hypothesis import settings

# This folder cannot be a package (its name is the backend's own), so its helpers are found
# by name.
sys.path.insert(0, str(Path(__file__).parent))

# A busy machine must not fail a test.
settings.register_profile("backend", deadline=None)
settings.load_profile("backend")
