"""A fourth game as a third party would add it: rules, a cog, a data file, and nothing touched elsewhere."""
