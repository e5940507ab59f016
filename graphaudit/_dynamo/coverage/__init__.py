"""Graph coverage: which operators of a call run in compiled graphs, and which lines run the rest.

An operator is a call into PyTorch's dispatcher that no other operator makes: `x @ y` is one
(`aten::matmul`), whatever it is made of. Custom operators count, and so do those that compute
nothing (a view, a `.to()` that has nothing to do). Who makes it decides where it counts:

- in a graph: the graph's own code, and the backward pass of what a graph computed (a backend that
  compiles also compiles that);
- eager: everything else, gradients that are accumulated in leaves and what Dynamo's own code
  around graphs dispatches included.

What Dynamo dispatches while it compiles is counted by itself in a repeated call, and left out of a
first one; threads that the target starts count nowhere.

The operators come from torch's oldest profiler, which notes the Python stack of each without any
Python code of ours. It does not show in dispatch keys and modes, which Dynamo's guards look at. It
cannot run beside another profiler: where the target starts one, it gives way, and there is no
coverage.
"""
