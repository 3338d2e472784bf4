"""What people see and do, in a real browser against a real server."""
