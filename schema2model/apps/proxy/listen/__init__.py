"""The proxy over streamable HTTP, for several clients: an ASGI application under uvicorn.

responses   bodies of requests, and responses: one message, or a stream of events
access      who may send requests, from where, and how many at a time
clients     the sessions: one client each, with servers of its own, and who makes room for whom
metrics     counts for Prometheus
listener    the application, from the socket to the end
"""
