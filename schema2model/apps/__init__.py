"""Applications that stand on the library: each is a folder, and no other room imports one."""
