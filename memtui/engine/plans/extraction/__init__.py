"""Finding durable statements of the user in the messages of a session (spec section 8).

Invariant: rules only, no model and no network; what a rule yields is in the user's own words.
"""
