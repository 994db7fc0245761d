"""An explanation of an answer: its sentences, and its page (`acic explain --html`)."""
