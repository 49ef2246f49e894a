x = coroutine.create(function(n) coroutine.yield(n)
 end) y, x = coroutine.resume(x, 1)
