module hive.test/pause

go 1.25
