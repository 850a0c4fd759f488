"""Servo: streams of commands, the loop that samples them, and its status."""
