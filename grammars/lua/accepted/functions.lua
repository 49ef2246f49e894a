function t.f(x, y)  return x, y end
function f(...)  return ... end
