"""What each command takes: one module per command, and nothing imported that takes time."""
