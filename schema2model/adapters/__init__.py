"""schema2model in the registries that people use: one module per framework.

Every module has the same functions, as far as its framework has a place for them:

- `from_tool(tool)`: the framework's tool, made of a `schema2model.Tool`;
- `wrap_tool(theirs)`: a tool of the framework, with its arguments coerced before it sees them;
- `wrap_server(...)`, or what the framework calls its hook: the same for all tools of an MCP server.

A module imports its framework, and nothing else does; each is an extra of that name.
"""
