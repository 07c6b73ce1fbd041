import sys
from pathlib import Path

# Helpers of these tests are found by name.
sys.path.insert(0, str(Path(__file__).parent))
