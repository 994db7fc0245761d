"""Is the advice good: ground truth of whole applications, and what is judged by it."""
