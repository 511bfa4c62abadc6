"""A proxy for the Model Context Protocol that coerces the arguments of tool calls.

`relay` stands between one client and one server until one of them goes. What it forwards it does
not parse and write again: only a call whose arguments change is written anew.

calls      the tools of a server, and what becomes of a call's arguments
messages   what a line says, and the lines that the proxy writes itself
proxy      which line goes where: what is changed, held back, answered
relay      both directions at once, and the end
processes  a server that is a process; endpoints: one at a URL, which connecting opens
several    servers that a relay takes for one; merging: one answer of all
"""
