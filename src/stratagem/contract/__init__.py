"""What rules, positions, plans and players are to everybody else. Names for authors come from `stratagem` itself."""
