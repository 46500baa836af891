"""Whether a machine is as fast as it should be: slow pairs of hosts, their causes, and history."""
