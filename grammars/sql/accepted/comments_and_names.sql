select /*x*/"a b", "say ""x""", é --c
FROM t