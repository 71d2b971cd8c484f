"""Answers: the JSON of every route, as frozen structs from which the OpenAPI page is made too.

Times are RFC 3339 in UTC, money is numbers of `currency` an hour, and what is not known is null: never
zero. Shares are percent. A code is one of those that `nodewright explain NW-nnnn` has a page for. Long
tables come as columns, one list a field, all of one length: thousands of rows stay small and quick to read.
Each answer says by `revision` which look at the cluster it is from; a larger one is newer.
"""
