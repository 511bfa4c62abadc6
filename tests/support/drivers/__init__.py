"""One module for each adapter: its framework, as the contract sees it."""
