"""Games on paper and in a database: records that replay."""
