"""This machine: its clock, files, processes and logs."""
