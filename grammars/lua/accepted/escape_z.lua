s = "a\z 
b"
