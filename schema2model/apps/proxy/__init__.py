"""A proxy for the Model Context Protocol that coerces the arguments of tool calls.

It runs on one event loop. A session has one client and what it takes for one server; messages are
forwarded byte for byte, but for calls whose arguments change, and for ids.

messages       a message and the line that it came in; json_rpc: parsing, ids, answers
session        one client: forward, change, hold back or answer each message
calls          the tools of a server, and the arguments of calls; result_checks: their results
hop            one server as long as the proxy runs: ids, restarts; sharing: one for all sessions
group          what a session takes for its server: one hop, or several by the prefix of names
handshakes     the connection to each of several servers, in its version; merging: their answers
relay          one client on standard input and output, until one side ends
streams        lines from and to pipes; processes: a server that is a process
endpoints      a server at a URL, which connecting opens; secret_headers: the user's headers for it
listen/        sessions over HTTP
dead_server    the error that answers a request of a server that has ended
spans          OpenTelemetry's view of the calls
log_fields     the fields of log records
"""
