"""schema2model in the registries that people use: one module per framework.

Every module has these functions, as far as its framework has a place for them:

- `from_tool(tool)` makes a tool of the framework from a `schema2model.Tool`;
- `wrap_tool(theirs)` coerces the arguments of a tool of the framework;
- `wrap_server(...)`, or the framework's hook, does so for all tools of an MCP server.

A module imports its framework, and nothing else does; each is an extra of that name.
"""
