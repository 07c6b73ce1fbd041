"""What people see: views that own one element each and update it in place."""
