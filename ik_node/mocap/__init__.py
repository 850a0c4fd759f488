"""Skeletons' motions, recordings, playback and retargeting."""
