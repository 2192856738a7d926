"""Which questions a person is given, as pure functions of counts and random numbers."""
