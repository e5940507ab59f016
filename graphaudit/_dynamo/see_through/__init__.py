"""See-through tracing: every graph break of a call in one Dynamo trace.

Where Dynamo would give a frame up, the trace notes the break, does that one step for real (real
Python objects, real tensors), takes the result in as if it were an input of a resumed frame, and
goes on. A failing step is caught in the deepest frame, at one of two points that all bytecode
passes: `call_function` for calls, the dispatch tables for every other instruction.

Real tensors come from running the captured graph, each node once and only when a step needs it;
the trace on fake tensors stays Dynamo's own, and so do its verdicts.
"""
