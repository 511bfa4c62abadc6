"""The proxy over streamable HTTP, for several clients: transport and HTTP are the MCP SDK's.

access     who may send requests, and how large and slow they may be
sessions   one relay for each client, with servers of its own
metrics    counts for Prometheus
listener   the application, from the socket to the end
"""
