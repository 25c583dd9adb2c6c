"""Model judges over the network: who they are, what they may cost, what they have replied."""
