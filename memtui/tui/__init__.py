"""The screens. They hold a manager and ask it; they never open a memory file themselves."""
