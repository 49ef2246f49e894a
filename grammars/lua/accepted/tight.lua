local thenx = a..b
if(x)then print("\27[0m") end
return{1}
