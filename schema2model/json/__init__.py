"""JSON itself: values, how they are quoted and written, and pointers into them."""
