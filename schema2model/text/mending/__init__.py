"""Text that is nearly JSON becomes JSON by counted edits; nothing is lost, nothing invented."""
