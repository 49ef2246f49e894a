x, y = pcall(error, {1})
