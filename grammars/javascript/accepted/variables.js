var x = 1, y = x;
let a = x;