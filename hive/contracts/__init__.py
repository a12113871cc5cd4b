"""What plug-ins promise, as pure protocols. Plug-ins see this room and `facts`, nothing else of hive."""
