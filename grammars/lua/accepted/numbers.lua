d = 3.25e-2
n = 0xA.8p0
i = 0x7fffffffffffffff
n = .5
