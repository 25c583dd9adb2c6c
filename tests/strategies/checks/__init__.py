"""What is generated for each check type, one module each."""
