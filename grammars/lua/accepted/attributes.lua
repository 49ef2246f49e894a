local x <const>,y <close> = 1
return x