"""Lowering: one function, from syntax to the kernel tree. :mod:`lower` begins, :mod:`statements` and :mod:`expressions`
handle each kind of syntax, :mod:`values` are what expressions stand for, the :mod:`builder` collects the kernel.
Handlers reach each other through :class:`context.Dispatcher`, so that imports run one way: dispatcher -> control, calls
-> numpy -> elements -> builder."""
