"""Reviews: what an agent asks a person before it goes on."""
