"""Commands that people start, and the demo.

What they compute is in the packages below; here are arguments, text and pictures.
"""
