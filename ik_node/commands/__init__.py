"""Commands that people start, the demo, and the tables of the documentation.

What they compute is in the packages below; here are arguments, text and pictures.
"""
