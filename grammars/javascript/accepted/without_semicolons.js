!function(){var a=1
  return"x"in a}()
