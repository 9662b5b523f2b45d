"""The draft assistant: what to take now, what will come back, and what waiting costs."""
