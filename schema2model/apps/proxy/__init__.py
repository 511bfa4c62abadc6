"""A proxy for the Model Context Protocol that coerces the arguments of tool calls.

A relay runs between one client and one server until one of them goes. Messages are forwarded byte
for byte; only a call whose arguments change is written anew.

calls      the tools of a server, and the arguments of calls; results: what servers answer
json_rpc   messages and lines of JSON-RPC
routing    which line is forwarded, changed, held back or answered
relay      both directions at once, and the end
processes  a server that is a process; endpoints: one at a URL, which connecting opens, and
           restarting opens or starts again
several    several servers as one; openings: how the connection to each begins; merging: one answer
           of all; pending: requests that they have; outbox: lines that wait for a server
"""
