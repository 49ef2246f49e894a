n = select("#", ...)
