"""Reports: what a campaign found out, as one HTML file that opens anywhere."""
