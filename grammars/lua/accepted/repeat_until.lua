repeat x = t.p
 until x == nil
