"""Recall: a query in, ranked documents with the points of their score out."""
