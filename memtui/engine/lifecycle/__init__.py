"""What runs by itself, beside the screen: tasks in threads, and the session that is followed."""
