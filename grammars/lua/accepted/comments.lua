--[[ one
two]]x = nil--three
y = nil--[==[ ]] ]==]