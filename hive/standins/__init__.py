"""Stand-ins: services that the product's demo and its tests need, served locally.

Law: a stand-in behaves as the real service does where hive looks, and says so loudly where it does not serve.
It knows nothing of hive's own rooms except how errors are named and documents are read.
"""
