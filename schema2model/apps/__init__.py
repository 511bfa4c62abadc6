"""Applications on top of the library: each is a folder, and no other room imports one."""
