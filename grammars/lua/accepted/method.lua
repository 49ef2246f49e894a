function t:f(self)  return self end
t:f{1;2}
