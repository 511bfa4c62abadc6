"""A proxy for the Model Context Protocol that coerces the arguments of tool calls.

A relay runs between one client and one server until one of them goes. Messages are forwarded byte
for byte; only a call whose arguments change is written anew.

json_rpc       messages and lines of JSON-RPC
routing        forward, change, hold back or answer each line
calls          the tools of a server, and the arguments of calls; result_checks: their results
relay          both directions at once, until one side ends
dead_server    the error that answers a request of a server that has ended
processes      a server that is a process
endpoints      a server at a URL, which connecting opens; secret_headers: the user's headers for it
restarting     a server that is started, or connected to, again
server_group   several servers as one; handshakes: the connection to each; merging: their answers
shared_server  one server for several clients
listen/        the proxy over HTTP, for several clients
spans          OpenTelemetry's view of the calls
log_fields     the fields of log records
"""
