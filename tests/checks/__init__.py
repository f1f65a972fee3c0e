"""The promises of the project, one or more tests for each; `rows.py` lists them."""
