import sys
from pathlib import Path

# This folder cannot be a package (its name is the backend's own), so its helpers are found
# by name.
sys.path.insert(0, str(Path(__file__).parent))
